// SPDX-License-Identifier: Apache-2.0
//
// The constraint solver: Newton's method for the acceleration that minimizes the cost of the rows, with a Cholesky
// factorization of the Hessian that is updated when rows become active or inactive. Trees have no rows in common, so
// each is solved by itself.
#pragma once

#include "envpool/robots/constraint.h"
#include "envpool/robots/inertia.h"
#include "envpool/robots/line_search.h"

namespace envpool::robots {

// A lower triangular matrix and the operations on it.
template <class T, int kSize>
struct Triangle {
  T at[kSize][kSize];

  // Replaces the matrix, of `n` rows, by its Cholesky factor. If the matrix is singular, as rounding makes it at huge
  // speeds, columns of its missing ranks are zeros below a small diagonal.
  ENVPOOL_ALWAYS_INLINE void factorize(i32 n) {
    ENVPOOL_UNROLL
    for (i32 j = 0; j < n; ++j) {
      T square = at[j][j] - dot<kSize>(at[j], at[j], j);
      const Mask<T> lost = square < splat<T>(kMinValue);
      at[j][j] = sqrt(select(lost, splat<T>(kMinValue), square));
      const T inverse = select(lost, T{}, 1.0 / at[j][j]);
      for (i32 i = j + 1; i < n; ++i) at[i][j] = (at[i][j] - dot<kSize>(at[i], at[j], j)) * inverse;
    }
  }
  ENVPOOL_ALWAYS_INLINE void solve(T* x, i32 n) const {
    ENVPOOL_UNROLL
    for (i32 i = 0; i < n; ++i) x[i] = (x[i] - dot<kSize>(at[i], x, i)) / at[i][i];
    ENVPOOL_UNROLL
    for (i32 i = n - 1; i >= 0; --i) {
      for (i32 j = i + 1; j < n; ++j) x[i] = x[i] - at[j][i] * x[j];
      x[i] = x[i] / at[i][i];
    }
  }
  // Updates the factor for changes of the matrix by sign * x * x^T, one after the other, and overwrites x. Returns the
  // lanes in which the matrix would no longer be positive definite. Lanes stay as they are if x is 0 and the sign is
  // -1. The loops are exchanged: every column takes part in all changes before the next, so that their divisions and
  // roots overlap.
  template <class Change>
  ENVPOOL_ALWAYS_INLINE Mask<T> update(Change* changes, i32 count, i32 n) {
    Mask<T> lost = no<T>();
    for (i32 k = 0; k < n; ++k) {
      for (i32 change = 0; change < count; ++change) {
        if (k < changes[change].first) continue;
        T* const x = changes[change].x;
        const T sign = changes[change].sign;
        T square = at[k][k] * at[k][k] + sign * (x[k] * x[k]);
        lost = lost | ((square < splat<T>(kMinValue)) & (x[k] != T{}));
        square = select(square < splat<T>(kMinValue), splat<T>(kMinValue), square);
        const T root = sqrt(square), c = root / at[k][k], inverse = 1.0 / c, s = x[k] / at[k][k], signed_s = sign * s;
        at[k][k] = root;
        for (i32 i = k + 1; i < n; ++i) {
          at[i][k] = (at[i][k] + signed_s * x[i]) * inverse;
          x[i] = c * x[i] - s * at[i][k];
        }
      }
    }
    return lost;
  }
};

// Solves the constraints of one tree.
template <class M, class T>
class NewtonSolver {
 public:
  static constexpr i32 kRows = Room<M, T>::kRows;

  ENVPOOL_ALWAYS_INLINE NewtonSolver(Data<M, T>& data, i32 tree)
      : d_(data), first_(M::kTrees == 1 ? 0 : M::tree(tree).dof), n_(M::kTrees == 1 ? M::kDofs : M::tree(tree).dofs) {
    if constexpr (M::kTrees > 1) zero<M::kDofs>(gradient_);
    for (i32 k = 0; k < d_.rows; ++k) {
      if (M::kTrees == 1 || d_.row[k].tree == tree) rows_[count_++] = k;
    }
  }

  // Starts at d.qacc, and replaces it by the solution.
  ENVPOOL_ALWAYS_INLINE void run() {
    Mask<T> active = no<T>();
    for (i32 k = 0; k < count_; ++k) active = active | (row(k).weight > T{});
    for (i32 i = first_; i < first_ + n_; ++i) d_.qacc[i] = select(active, d_.qacc[i], d_.qacc_smooth[i]);
    if (!any(active)) return;
    T diagonal{};
    for (i32 i = first_; i < first_ + n_; ++i) {
      const Dof& dof = M::dof(i);
      diagonal = diagonal + d_.mass[dof.row + dof.ancestors];
    }
    const T scale = 1.0 / diagonal;
    multiply_mass(d_, d_.qacc, force_);
    for (i32 k = 0; k < count_; ++k) row(k).residual = multiply(k, d_.qacc) - row(k).reference;
    T norm = compute_gradient();
    const Mask<T> small = scale * norm < splat<T>(M::kTolerance);
    const Mask<T> may_be_solved = active & small;
    if (any(may_be_solved)) {
      T step[M::kDofs];
      copy<M::kDofs>(step, gradient_);
      robots::solve<M>(d_.factor, d_.inverse, step);
      active = active & ((may_be_solved & is_small(scale, step)) == no<T>());
      if (!any(active)) return;
    }
    make_hessian(hessian_);
    hessian_.factorize(n_);
    solve_step();
    active = active & ((small & is_small(scale, step_)) == no<T>());
    for (i32 iteration = 0; iteration < M::kIterations && any(active); ++iteration) {
      active = iterate(active, scale);
    }
  }

 private:
  ENVPOOL_ALWAYS_INLINE ConstraintRow<T>& row(i32 k) { return d_.row[M::kTrees == 1 ? k : rows_[k]]; }
  ENVPOOL_ALWAYS_INLINE T multiply(i32 k, const T* x) { return multiply_row(d_, row(k), x, first_, n_); }

  // The dot product of the tree's parts of two vectors.
  ENVPOOL_ALWAYS_INLINE T dot_of_tree(const T* a, const T* b) const {
    return dot<M::kDofs>(a + first_, b + first_, n_);
  }

  // Returns whether the decrease of the cost that a step along the negative gradient predicts is below the tolerance.
  ENVPOOL_ALWAYS_INLINE Mask<T> is_small(T scale, const T* step) const {
    return 0.5 * scale * dot_of_tree(gradient_, step) < splat<T>(M::kTolerance);
  }

  // Computes the forces of the rows and the gradient of the cost, and returns its norm.
  ENVPOOL_ALWAYS_INLINE T compute_gradient() {
    T* const sum = d_.qfrc_constraint;
    for (i32 i = first_; i < first_ + n_; ++i) sum[i] = T{};
    for (i32 k = 0; k < count_; ++k) {
      ConstraintRow<T>& r = row(k);
      r.force = select(r.residual < T{}, -r.weight * r.residual, T{});
      if (r.dof >= 0) {
        sum[r.dof] = sum[r.dof] + r.sign * r.force;
      } else {
        const T* const jacobian = d_.jacobian[r.jacobian];
        for (i32 i = first_; i < first_ + n_; ++i) sum[i] = sum[i] + jacobian[i] * r.force;
      }
    }
    for (i32 i = first_; i < first_ + n_; ++i) gradient_[i] = force_[i] - d_.qfrc_smooth[i] - sum[i];
    return sqrt(dot_of_tree(gradient_, gradient_));
  }

  ENVPOOL_ALWAYS_INLINE void make_hessian(Triangle<T, M::kDofs>& hessian) {
    for (i32 i = 0; i < n_; ++i) {
      for (i32 j = 0; j <= i; ++j) hessian.at[i][j] = T{};
    }
    for (i32 k = 0; k < count_; ++k) {
      const ConstraintRow<T>& r = row(k);
      const T weight = select(r.residual < T{}, r.weight, T{});
      if (r.dof >= 0) {
        T& element = hessian.at[r.dof - first_][r.dof - first_];
        element = element + r.sign * (r.sign * weight);
        continue;
      }
      const T* const jacobian = d_.jacobian[r.jacobian] + first_;
      for (i32 i = 0; i < n_; ++i) {
        const T weighted = jacobian[i] * weight;
        for (i32 j = 0; j <= i; ++j) hessian.at[i][j] = hessian.at[i][j] + jacobian[j] * weighted;
      }
    }
    for (i32 i = 0; i < n_; ++i) {
      const Dof& dof = M::dof(first_ + i);
      for (i32 k = 0; k <= dof.ancestors; ++k) {
        T& element = hessian.at[i][M::column(dof.row + k) - first_];
        element = element + d_.mass[dof.row + k];
      }
    }
  }

  ENVPOOL_ALWAYS_INLINE void solve_step() {
    for (i32 i = first_; i < first_ + n_; ++i) step_[i] = gradient_[i];
    hessian_.solve(step_ + first_, n_);
  }

  // Makes one step of Newton's method in the active lanes, and returns the lanes in which it must go on.
  ENVPOOL_ALWAYS_INLINE Mask<T> iterate(Mask<T> active, T scale) {
    T direction[M::kDofs]{}, moved_force[M::kDofs];
    LineRow<T> line_rows[kRows];
    for (i32 i = first_; i < first_ + n_; ++i) direction[i] = -step_[i];
    const T length = sqrt(dot_of_tree(direction, direction));
    multiply_mass(d_, direction, moved_force);
    const Line<T> line{dot_of_tree(direction, force_) - dot_of_tree(direction, d_.qfrc_smooth),
                       0.5 * dot_of_tree(direction, moved_force),
                       M::kTolerance * M::kLineSearchTolerance * length / scale};
    for (i32 k = 0; k < count_; ++k) {
      const ConstraintRow<T>& r = row(k);
      const T slope = multiply(k, direction), weighted = r.weight * r.residual;
      line_rows[k] = {r.residual, slope, r.residual * weighted * 0.5, slope * weighted, slope * r.weight * slope * 0.5};
    }
    // The length, and then the acceleration, is NaN if numbers overflow.
    const Mask<T> searching = active & ((length < splat<T>(kMinValue)) == no<T>());
    const LinePoint<T> found = search_line<kRows>(line_rows, count_, line, searching, i32(M::kLineSearchIterations));
    active = active & (found.alpha != T{});
    if (!any(active)) return active;

    for (i32 i = first_; i < first_ + n_; ++i) {
      d_.qacc[i] = select(active, d_.qacc[i] + found.alpha * direction[i], d_.qacc[i]);
      force_[i] = select(active, force_[i] + found.alpha * moved_force[i], force_[i]);
    }
    T change[kRows];  // 1 for rows that become active, -1 for those that become inactive
    for (i32 k = 0; k < count_; ++k) {
      ConstraintRow<T>& r = row(k);
      const T before = select(r.residual < T{}, splat<T>(1), T{});
      r.residual = select(active, r.residual + found.alpha * line_rows[k].slope, r.residual);
      change[k] = select(r.residual < T{}, splat<T>(1), T{}) - before;
    }
    const T norm = compute_gradient();
    const T decrease = scale * -found.cost;
    active = active & (((decrease > T{}) & (decrease < splat<T>(M::kTolerance))) == no<T>());
    active = active & ((scale * norm < splat<T>(M::kTolerance)) == no<T>());
    if (!any(active)) return active;
    update_factor(change);
    solve_step();
    return active & (is_small(scale, step_) == no<T>());
  }

  struct Change {
    T x[M::kDofs];
    T sign;
    i32 first;  // the first element of x that is not 0
  };

  // Updates the factor of the Hessian for the rows that change, in the lanes in which they do.
  ENVPOOL_ALWAYS_INLINE void update_factor(const T* change) {
    constexpr i32 kMost = 8;
    Change changes[kMost];
    i32 count = 0;
    Mask<T> lost = no<T>();
    for (i32 k = 0; k < count_; ++k) {
      const Mask<T> here = change[k] != T{};
      if (any(here)) {
        const ConstraintRow<T>& r = row(k);
        Change& next = changes[count++];
        const T root = sqrt(r.weight);
        next.sign = select(here, change[k], splat<T>(-1));
        next.first = r.dof >= 0 ? r.dof - first_ : 0;
        for (i32 i = 0; i < n_; ++i) {
          next.x[i] = r.dof >= 0 ? T{} : select(here, d_.jacobian[r.jacobian][first_ + i] * root, T{});
        }
        if (r.dof >= 0) next.x[next.first] = select(here, r.sign * root, T{});
      }
      if (count == kMost || (count > 0 && k + 1 == count_)) {
        lost = lost | hessian_.update(changes, count, n_);
        count = 0;
      }
    }
    if (!any(lost)) return;
    Triangle<T, M::kDofs> again;
    make_hessian(again);
    again.factorize(n_);
    for (i32 i = 0; i < n_; ++i) {
      for (i32 j = 0; j <= i; ++j) hessian_.at[i][j] = select(lost, again.at[i][j], hessian_.at[i][j]);
    }
  }

  Data<M, T>& d_;
  const i32 first_, n_;
  i32 count_ = 0;
  i32 rows_[kRows];
  T force_[M::kDofs];  // M * qacc
  T gradient_[M::kDofs], step_[M::kDofs];
  Triangle<T, M::kDofs> hessian_;
};

// The cost of a row that has the given residual.
template <class T>
ENVPOOL_ALWAYS_INLINE T row_cost(const ConstraintRow<T>& row, T residual) {
  return select(residual < T{}, 0.5 * row.weight * residual * residual, T{});
}

// Computes d.qacc and d.qfrc_constraint. The solver starts at the acceleration of the last step or at that without
// constraints, whichever has the lower cost.
template <class M, class T>
ENVPOOL_ALWAYS_INLINE void solve_by_newton(Data<M, T>& d, const T* warm_start) {
  zero<M::kDofs>(d.qfrc_constraint);
  copy<M::kDofs>(d.qacc, d.qacc_smooth);
  if constexpr (M::kLimits + M::kContactRows > 0) {
    if (d.rows == 0) return;
    T warm_cost{}, smooth_cost{}, distance{}, momentum[M::kDofs];
    for (i32 k = 0; k < d.rows; ++k) {
      const ConstraintRow<T>& row = d.row[k];
      warm_cost = warm_cost + row_cost(row, multiply_row(d, row, warm_start, 0, M::kDofs) - row.reference);
      smooth_cost = smooth_cost + row_cost(row, multiply_row(d, row, d.qacc_smooth, 0, M::kDofs) - row.reference);
    }
    multiply_mass(d, warm_start, momentum);
    for (i32 i = 0; i < M::kDofs; ++i) {
      distance = distance + 0.5 * (momentum[i] - d.qfrc_smooth[i]) * (warm_start[i] - d.qacc_smooth[i]);
    }
    const Mask<T> is_cold = warm_cost + distance > smooth_cost;
    for (i32 i = 0; i < M::kDofs; ++i) d.qacc[i] = select(is_cold, d.qacc_smooth[i], warm_start[i]);
    for (i32 tree = 0; tree < M::kTrees; ++tree) NewtonSolver<M, T>(d, tree).run();
  }
}

}  // namespace envpool::robots
