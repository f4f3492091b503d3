# SPDX-License-Identifier: Apache-2.0
"""Random models for which the solver has code, as MJCF.

Bodies hang on each other in random order, from a free, planar, fixed or slide-and-hinge root. Everything that
tools/mujoco_subset.py accepts occurs: options, kinds of joints and geoms, limits, springs, dampers, actuators, tendons,
fluids, several trees, static bodies, and contacts of all dimensions and softness.
"""

from __future__ import annotations

from typing import Any

import numpy as np

MOST_DOFS = 24


def random_model(seed: int) -> str:
    """Returns the MJCF of a model."""
    return _Builder(np.random.default_rng(seed)).model()


def _text(*numbers: Any) -> str:
    return " ".join(f"{number:.4g}" for number in numbers)


class _Builder:
    def __init__(self, random: np.random.Generator) -> None:
        self.random = random
        self.dofs = 0
        self.bodies = 0
        self.joints: list[str] = []  # slide and hinge joints
        self.body_names: list[str] = []
        # Trees must not collide with each other, so each has a bit of its own.
        self.trees = 1 if random.random() < 0.6 else int(random.integers(2, 5))
        self.collides_with_itself = False
        self.is_flat = False  # the tree stays within the plane of x and z, in which its limbs cross
        self.is_soft = random.random() < 0.5  # geoms and limits have their own softness
        self.has_margin = random.random() < 0.3

    def model(self) -> str:
        trees = "".join(self.tree(i) for i in range(self.trees))
        parts = [self.ground(), trees]
        self.random.shuffle(parts)
        rest = f"{self.actuators()}{self.tendons()}{self.excludes()}"
        compiler = self.some(0.2, 'balanceinertia="true" boundmass="0.01"')
        return (
            f'<mujoco><compiler angle="radian" boundinertia="0.0001" {compiler}/>{self.option()}\n'
            f"<worldbody>{''.join(parts)}</worldbody>\n{rest}</mujoco>\n"
        )

    # Random choices.

    def uniform(self, low: float, high: float) -> float:
        return float(self.random.uniform(low, high))

    def vector(self, scale: float, size: int = 3) -> str:
        numbers = self.random.uniform(-scale, scale, size)
        if self.is_flat:
            numbers[1::3] = 0
        return _text(*numbers)

    def turn(self, scale: float) -> str:
        """Returns a quaternion, which need not be normalized."""
        x, y, z = self.random.uniform(-scale, scale, 3)
        return _text(1, 0, y, 0) if self.is_flat else _text(1, x, y, z)

    def some(self, chance: float, text: str) -> str:
        return text if self.random.random() < chance else ""

    def one_of(self, *choices: Any) -> Any:
        return choices[int(self.random.integers(len(choices)))]

    # Parts of the model.

    def option(self) -> str:
        solver = "PGS" if self.trees == 1 and self.random.random() < 0.4 else "Newton"
        parts = [
            f'solver="{solver}" integrator="{self.one_of("Euler", "RK4")}"',
            f'timestep="{self.one_of(0.001, 0.002, 0.005, 0.01)}"',
            self.some(0.2, f'gravity="{self.vector(9)}"'),
            self.some(0.2, 'gravity="0 0 0"'),
            self.some(0.2, f'density="{self.one_of(1.2, 1000)}"'),
            self.some(0.2, f'viscosity="{self.one_of(0.00002, 0.1)}"'),
            self.some(0.2, f'iterations="{self.one_of(1, 2, 5, 20)}"'),
            self.some(0.15, f'ls_iterations="{self.one_of(1, 2, 3, 6)}"'),
            self.some(0.2, f'tolerance="{self.one_of(0, 1e-10, 1e-5, 1e-3)}"'),
            self.some(0.1, f'ls_tolerance="{self.one_of(1e-4, 0.1)}"'),
            self.some(0.2, 'jacobian="dense"'),
        ]
        chosen: dict[str, str] = {}
        for part in parts:  # the first gravity of two counts
            name = part.partition("=")[0]
            chosen.setdefault(name, part)
        return f"<option {' '.join(chosen.values())}/>"

    def ground(self) -> str:
        """Returns geoms of the world and static bodies, with which all trees collide."""
        bits = f'contype="{2**self.trees - 1}" conaffinity="{self.one_of(0, 0, 1)}"'
        text = ""
        for _ in range(self.one_of(0, 1, 1, 1, 2)):
            tilt = self.some(0.4, f'quat="{self.turn(0.2)}"')
            place = f'pos="{self.vector(1, 2)} {_text(self.uniform(-0.5, 0.1))}"'
            text += f'<geom type="plane" size="5 5 1" {tilt} {place} {bits} {self.contact()}/>'
        for _ in range(self.one_of(0, 0, 1)):
            geom = f"<geom {self.shape()} {bits} {self.contact()}/>"
            text += self.one_of(geom, f'<body pos="{self.vector(1)}" quat="{self.turn(1)}">{geom}</body>')
        return text

    def tree(self, number: int) -> str:
        self.collides_with_itself = self.random.random() < 0.5
        most = int(self.random.integers(1, 4 if self.trees > 1 else 9))
        root = self.one_of("free", "free", "planar", "fixed", "slide", "alone")
        self.is_flat = root == "planar" and self.random.random() < 0.7
        joints = ""
        if root in ("free", "alone"):
            joints = self.one_of(
                "<freejoint/>", '<joint type="free" armature="0.1"/>', '<joint type="free" damping="0.3"/>'
            )
            self.dofs += 6
        elif root == "planar":
            joints = self.joint("slide", "1 0 0") + self.joint("slide", "0 0 1") + self.joint("hinge", "0 1 0")
        elif root == "slide":
            joints = self.joint("slide") + self.joint("hinge")
        place = f'pos="{self.vector(0.5, 2)} {_text(self.uniform(0, 1.2))}"'
        text = self.body(number, joints, place, 1 if root == "alone" else most)
        self.is_flat = False
        return text

    def body(self, tree: int, joints: str, place: str, most: int) -> str:
        """Returns a body with `most` bodies in its subtree, itself included, or fewer."""
        self.bodies += 1
        name = ""
        if self.random.random() < 0.7:
            self.body_names.append(f"body{self.bodies}")
            name = f'name="{self.body_names[-1]}"'
        own = self.some(0.2, self.inertial()) + "".join(self.geom(tree) for _ in range(self.one_of(1, 1, 1, 2)))
        own += self.some(0.2, f'<site pos="{self.vector(0.2)}"/>')
        text = f'<body {name} {place} {self.some(0.3, f"""quat="{self.turn(0.7)}" """)}>{joints}{own}'
        left = most - 1
        while left > 0 and self.dofs < MOST_DOFS:
            size = int(self.random.integers(1, left + 1))
            left -= size
            kinds = self.one_of([], ["hinge"], ["hinge"], ["hinge"], ["slide"], ["hinge"] * 2, ["slide", "hinge"])
            moves = "".join(self.joint(kind) for kind in kinds)
            text += self.body(tree, moves, f'pos="{self.vector(0.4)}"', size)
        return f"{text}</body>\n"

    def inertial(self) -> str:
        mass = self.uniform(0.1, 5)
        moments = mass * 0.02 * self.random.uniform(1, 1.9, 3)
        turned = self.one_of("", f'quat="{self.turn(1)}"')
        return f'<inertial pos="{self.vector(0.1)}" {turned} mass="{_text(mass)}" diaginertia="{_text(*moments)}"/>'

    def joint(self, kind: str, axis: str = "") -> str:
        self.dofs += 1
        name = f"joint{len(self.joints)}"
        self.joints.append(name)
        if self.is_flat and not axis:
            axis = self.one_of("1 0 0", "0 0 -1") if kind == "slide" else self.one_of("0 1 0", "0 -1 0")
        axis = axis or self.one_of("1 0 0", "0 1 0", "0 0 -1", self.vector(1))
        low, high = self.uniform(-1.2, 0.1), self.uniform(0.2, 1.2)
        margin = self.some(0.3, f'margin="{_text(self.uniform(0, 0.04))}"')
        soft = f"{self.solref('solreflimit')} {self.solimp('solimplimit')}" if self.is_soft else ""
        limit = f'limited="true" range="{_text(low, high)}"'
        parts = [
            f'name="{name}" type="{kind}" axis="{axis}"',
            self.some(0.5, f'pos="{self.vector(0.2)}"'),
            self.some(0.5, f"{limit} {margin} {soft}"),
            self.some(0.5, f'damping="{_text(self.uniform(0, 2))}"'),
            self.some(0.3, f'stiffness="{_text(self.uniform(0, 20))}" springref="{_text(self.uniform(-0.5, 0.5))}"'),
            self.some(0.3, f'armature="{_text(self.uniform(0, 0.5))}"'),
            self.some(0.2, f'ref="{_text(self.uniform(-0.5, 0.5))}"'),
        ]
        return f"<joint {' '.join(parts)}/>"

    def shape(self) -> str:
        radius = _text(self.uniform(0.04, 0.15))
        if self.random.random() < 0.35:
            return f'type="sphere" size="{radius}"'
        if self.random.random() < 0.5:
            return f'type="capsule" size="{radius}" fromto="{self.vector(0.3, 6)}"'
        return f'type="capsule" size="{radius} {_text(self.uniform(0.05, 0.3))}"'

    def geom(self, tree: int) -> str:
        shape = self.shape()
        place = "" if "fromto" in shape else self.some(0.4, f'pos="{self.vector(0.2)}" quat="{self.turn(1)}"')
        own = 2**tree
        bits = f'contype="{own if self.collides_with_itself else 0}" conaffinity="{own}"'
        bits = self.one_of(bits, bits, bits, bits, 'contype="0" conaffinity="0"')
        mass = self.some(0.3, f'density="{_text(self.uniform(200, 3000))}"')
        return f"<geom {shape} {place} {bits} {mass} {self.contact()}/>"

    def contact(self) -> str:
        parts = [
            self.some(0.5, f'condim="{self.one_of(1, 3)}"'),
            self.some(0.5, f'friction="{self.one_of(0, 0.1, 0.7, 1.5)}"'),
            self.some(0.5, f'margin="{self.one_of(0.001, 0.02)}"') if self.has_margin else "",
        ]
        if self.is_soft:
            parts += [self.solref("solref"), self.solimp("solimp")]
            parts.append(self.some(0.5, f'solmix="{_text(self.uniform(0.1, 3))}"'))
        return " ".join(parts)

    def solref(self, name: str) -> str:
        return self.some(0.5, f'{name}="{_text(self.one_of(0.001, 0.02, 0.05), self.uniform(0.4, 1.3))}"')

    def solimp(self, name: str) -> str:
        low, high = sorted((self.one_of(0, 0.5, 0.8, 0.9, 1), self.one_of(0.5, 0.9, 0.95, 1)))
        width, middle = self.one_of(0, 0.001, 0.01, 0.1), self.one_of(0.1, 0.5, 0.9)
        return self.some(0.5, f'{name}="{low} {high} {width} {middle} 2"')

    def actuators(self) -> str:
        text = ""
        for joint in self.joints:
            for _ in range(self.one_of(0, 1, 1, 1, 2)):
                gear = self.one_of(1, -3, 20, 0.5)
                limits = self.some(0.7, 'ctrllimited="true" ctrlrange="-0.8 1"')
                kind = self.one_of("motor", "motor", 'general gainprm="2.5"')
                text += f'<{kind} joint="{joint}" gear="{gear}" {limits}/>'
        return f"<actuator>{text}</actuator>\n" if text else ""

    def tendons(self) -> str:
        if len(self.joints) < 3 or self.random.random() < 0.7:
            return ""
        terms = "".join(f'<joint joint="{name}" coef="{_text(self.uniform(-2, 2))}"/>' for name in self.joints[1:3])
        return f"<tendon><fixed>{terms}</fixed></tendon>\n"

    def excludes(self) -> str:
        if len(self.body_names) < 3 or self.random.random() < 0.6:
            return ""
        one, two = self.random.choice(self.body_names, 2, replace=False)
        return f'<contact><exclude body1="{one}" body2="{two}"/></contact>\n'
