// SPDX-License-Identifier: Apache-2.0
//
// The line search of Newton's method: minimizes the cost along the search direction, which is a piecewise quadratic
// function, by Newton steps from one side and then within a bracket.
#pragma once

#include "envpool/robots/data.h"

namespace envpool::robots {

// What a row contributes to the cost along the direction.
template <class T>
struct LineRow {
  T residual, slope;  // the row is active where residual + alpha * slope is negative
  T constant, linear, quadratic;
};

// A point on the line.
template <class T>
struct LinePoint {
  T alpha, cost, slope, curvature;  // the cost is relative to that at alpha = 0
};

// The search direction's part of the cost that does not come from rows, and the tolerance of the slope.
template <class T>
struct Line {
  T linear, quadratic, tolerance;
};

template <class T>
ENVPOOL_ALWAYS_INLINE LinePoint<T> evaluate(const LineRow<T>* rows, i32 count, const Line<T>& line, T alpha) {
  T cost{}, constant{}, linear = line.linear, quadratic = line.quadratic;
  for (i32 k = 0; k < count; ++k) {
    const LineRow<T>& row = rows[k];
    const T before = select(row.residual < T{}, row.constant, T{});
    const Mask<T> is_active = row.residual + alpha * row.slope < T{};
    constant = constant + select(is_active, row.constant - before, T{});
    linear = linear + select(is_active, row.linear, T{});
    quadratic = quadratic + select(is_active, row.quadratic, T{});
    cost = cost - select(is_active, T{}, before);
  }
  cost = cost + (alpha * alpha * quadratic + alpha * linear + constant);
  const T curvature = 2.0 * quadratic;  // rounding can make it 0 or negative when coordinates are huge
  return {alpha, cost, 2.0 * alpha * quadratic + linear, select(curvature <= T{}, splat<T>(kMinValue), curvature)};
}
// Evaluates the point to which a Newton step leads.
template <class T>
ENVPOOL_ALWAYS_INLINE LinePoint<T> newton_point(const LineRow<T>* rows, i32 count, const Line<T>& line,
                                                const LinePoint<T>& from) {
  return evaluate(rows, count, line, from.alpha - from.slope / from.curvature);
}

// Replaces one end of the bracket by the best candidate on its side, and `next` by the Newton step from there. Returns
// whether there is a better one.
ENVPOOL_FN bool narrow(const LineRow<f64>* rows, i32 count, const Line<f64>& line, const LinePoint<f64>* candidates,
                       LinePoint<f64>& end, LinePoint<f64>& next, i32& evaluations) {
  bool moved = false;
  for (i32 k = 0; k < 3; ++k) {
    const f64 slope = candidates[k].slope;
    if ((end.slope < 0 && slope < 0 && end.slope < slope) || (end.slope > 0 && slope > 0 && end.slope > slope)) {
      end = candidates[k];
      moved = true;
    }
  }
  if (moved) {
    next = newton_point(rows, count, line, end);
    ++evaluations;
  }
  return moved;
}

// Searches between two points whose slopes have different signs. `best` is the last point that the search has reached.
ENVPOOL_FN LinePoint<f64> search_bracket(const LineRow<f64>* rows, i32 count, const Line<f64>& line,
                                         LinePoint<f64> best, LinePoint<f64> other, i32 evaluations, i32 limit) {
  LinePoint<f64> next[2] = {newton_point(rows, count, line, best), best};
  ++evaluations;
  while (evaluations < limit) {
    const LinePoint<f64> middle = evaluate(rows, count, line, 0.5 * (best.alpha + other.alpha));
    ++evaluations;
    const LinePoint<f64> candidates[3] = {next[0], next[1], middle};
    i32 found = -1;
    for (i32 k = 0; k < 3; ++k) {
      if (fabs(candidates[k].slope) < line.tolerance && (found < 0 || candidates[k].cost < candidates[found].cost)) {
        found = k;
      }
    }
    if (found >= 0) return candidates[found];
    const bool moved = narrow(rows, count, line, candidates, best, next[0], evaluations);
    const bool other_moved = narrow(rows, count, line, candidates, other, next[1], evaluations);
    if (!moved && !other_moved) return middle;
  }
  if (best.cost <= other.cost && best.cost < 0) return best;
  if (other.cost <= best.cost && other.cost < 0) return other;
  return {0, 0, 0, 0};
}

template <class T>
ENVPOOL_ALWAYS_INLINE LinePoint<T> blend(Mask<T> which, const LinePoint<T>& yes, const LinePoint<T>& no) {
  return {select(which, yes.alpha, no.alpha), select(which, yes.cost, no.cost), select(which, yes.slope, no.slope),
          select(which, yes.curvature, no.curvature)};
}

#if ENVPOOL_SIMD
// Searches the brackets lane by lane, because few searches need one.
template <class Lanes>
ENVPOOL_ALWAYS_INLINE LinePoint<f64> lane_of(const LinePoint<Lanes>& point, int lane) {
  return {point.alpha[lane], point.cost[lane], point.slope[lane], point.curvature[lane]};
}
template <int kRows>
ENVPOOL_ALWAYS_INLINE void search_brackets_in_lanes(const i64x4& which, const LineRow<f64x4>* rows, i32 count,
                                                    const Line<f64x4>& line, LinePoint<f64x4>& best,
                                                    const LinePoint<f64x4>& other, i32 evaluations, i32 limit) {
  for (int lane = 0; lane < 4; ++lane) {
    if (!which[lane]) continue;
    LineRow<f64> own[kRows];
    for (i32 k = 0; k < count; ++k) {
      own[k] = {rows[k].residual[lane], rows[k].slope[lane], rows[k].constant[lane], rows[k].linear[lane],
                rows[k].quadratic[lane]};
    }
    const LinePoint<f64> found =
        search_bracket(own, count, {line.linear[lane], line.quadratic[lane], line.tolerance[lane]}, lane_of(best, lane),
                       lane_of(other, lane), evaluations, limit);
    best.alpha[lane] = found.alpha;
    best.cost[lane] = found.cost;
  }
}
#endif

// Returns the point at which the search ends, in the lanes that are `searching`; in the others, alpha is 0.
template <int kRows, class T>
ENVPOOL_ALWAYS_INLINE LinePoint<T> search_line(const LineRow<T>* rows, i32 count, const Line<T>& line,
                                               Mask<T> searching, i32 limit) {
  LinePoint<T> other = evaluate(rows, count, line, T{}), best = newton_point(rows, count, line, other);
  const T direction = select(best.slope < T{}, splat<T>(1), splat<T>(-1));
  Mask<T> is_done = (fabs(best.slope) < line.tolerance) & ((best.alpha == T{}) | (best.cost < T{}));
  Mask<T> goes_on = searching & (is_done == no<T>());
  for (i32 evaluations = 2; any(goes_on) && evaluations < limit; ++evaluations) {
    const Mask<T> walks = goes_on & (best.slope * direction <= -line.tolerance);
    const Mask<T> is_bracketed = goes_on & (walks == no<T>());
    if (any(is_bracketed)) {
      if constexpr (sizeof(T) == sizeof(f64)) {
        return search_bracket(rows, count, line, best, other, evaluations, limit);
      } else {
        search_brackets_in_lanes<kRows>(is_bracketed, rows, count, line, best, other, evaluations, limit);
      }
    }
    other = blend(walks, best, other);
    best = blend(walks, newton_point(rows, count, line, best), best);
    is_done = (fabs(best.slope) < line.tolerance) & (best.cost < T{});
    goes_on = walks & (is_done == no<T>());
  }
  best.alpha = select(searching, best.alpha, T{});
  return best;
}

}  // namespace envpool::robots
