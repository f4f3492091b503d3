// SPDX-License-Identifier: Apache-2.0
//
// Filters the cards of the gallery (gallery.py) by id, family, device, kind of action and number of players. The filters
// are kept in the address after "#", so that a filtered gallery can be linked to.
"use strict";

(() => {
  const form = document.querySelector("form.filters");
  const cards = [...document.querySelectorAll(".gallery > a")];
  const count = form.querySelector("output");

  const fits = (card, name, wanted) => {
    const value = card.dataset[name] || "";
    return name === "ids" ? wanted.every((word) => value.includes(word)) : value.split(" ").includes(wanted[0]);
  };

  const show = () => {
    const filters = [...new FormData(form)]
      .map(([name, text]) => [name, text.toLowerCase().split(/\s+/).filter(Boolean)])
      .filter(([, wanted]) => wanted.length);
    let shown = 0;
    for (const card of cards) {
      card.hidden = !filters.every(([name, wanted]) => fits(card, name, wanted));
      shown += card.hidden ? 0 : 1;
    }
    count.textContent = `${shown} of ${cards.length} environments`;
    const query = new URLSearchParams([...new FormData(form)].filter(([, text]) => text)).toString();
    history.replaceState(null, "", query ? `#${query}` : location.pathname + location.search);
  };

  for (const [name, value] of new URLSearchParams(location.hash.slice(1))) {
    if (form.elements[name]) form.elements[name].value = value;
  }
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  show();
})();
