// SPDX-License-Identifier: Apache-2.0
//
// The constraint solver PGS: the projected Gauss-Seidel method with Nesterov's momentum. It minimizes
// f * A * f / 2 + b * f over the forces f >= 0 of the rows, one force after the other, where A = J * M^-1 * J^T + R and
// b = J * qacc_smooth - aref. Each sweep visits the rows in another order.
#pragma once

#include "envpool/robots/constraint.h"
#include "envpool/robots/inertia.h"

namespace envpool::robots {

// The generator PCG32 in its initial state, with which MuJoCo shuffles the rows.
struct Pcg32 {
  u64 state = 1;

  ENVPOOL_ALWAYS_INLINE constexpr u32 next() {
    const u64 old = state;
    state = old * 6364136223846793005ull + 1;
    const u32 shifted = u32(((old >> 18) ^ old) >> 27), turn = u32(old >> 59);
    return (shifted >> turn) | (shifted << (-turn & 31));
  }
};

// Shuffles the rows for the next sweep.
ENVPOOL_ALWAYS_INLINE constexpr void shuffle(u16* order, i32 rows, Pcg32& random) {
  for (i32 n = rows - 1; n > 0; --n) {
    const i32 other = i32(random.next() % u32(n + 1));
    const u16 swapped = order[n];
    order[n] = order[other];
    order[other] = swapped;
  }
}

#if ENVPOOL_HOST
// The orders of the rows in each sweep, which depend on nothing but the number of rows.
template <i32 kSweeps>
struct SweepOrders {
  static constexpr i32 kMost = 24;
  u16 rows[kSweeps * kMost * (kMost + 1) / 2] = {};

  constexpr SweepOrders() {
    for (i32 count = 1; count <= kMost; ++count) {
      u16 order[kMost] = {};
      for (i32 n = 0; n < count; ++n) order[n] = u16(n);
      Pcg32 random;
      for (i32 sweep = 0; sweep < kSweeps; ++sweep) {
        shuffle(order, count, random);
        for (i32 n = 0; n < count; ++n) rows[first(count, sweep) + n] = order[n];
      }
    }
  }
  static constexpr i32 first(i32 count, i32 sweep) { return kSweeps * count * (count - 1) / 2 + sweep * count; }
};
template <i32 kSweeps>
inline constexpr SweepOrders<kSweeps> kSweepOrders;
#endif

// The most rows for which A is stored.
#if ENVPOOL_HOST
inline constexpr i32 kStoredRows = 128;
#else
inline constexpr i32 kStoredRows = 32;  // a GPU reserves the memory for each of its threads
#endif

// Computes the dot product of two arrays of `count` numbers in the order of mju_dot. With f64x4, it reads whole blocks
// of four, so the second array must end with zeros.
template <class T, i32 kMost>
ENVPOOL_ALWAYS_INLINE f64 dot_in_blocks(const f64* a, const f64* b, i32 count) {
  if constexpr (sizeof(T) == sizeof(f64)) {
    return dot<kMost>(a, b, count);
  } else {
    T sum{};
    i32 k = 0;
    for (; k + 4 <= count; k += 4) sum = sum + load<T>(a + k) * load<T>(b + k);
    const f64 total = (sum[0] + sum[2]) + (sum[1] + sum[3]);
    if (k == count) return total;
    const T rest = load<T>(a + k) * load<T>(b + k);
    return total + (rest[0] + rest[1] + rest[2]);
  }
}
// Replaces a number. With f64x4, it stores a whole block of four, because a load of a block would wait for a store of a
// part of it.
template <class T>
ENVPOOL_ALWAYS_INLINE void replace(f64* numbers, i32 n, f64 value) {
  if constexpr (sizeof(T) == sizeof(f64)) {
    numbers[n] = value;
  } else {
    static constexpr i64 kMasks[7] = {0, 0, 0, -1, 0, 0, 0};
    f64* const block = numbers + n / 4 * 4;
    Mask<T> here;
    __builtin_memcpy(&here, kMasks + 3 - n % 4, sizeof(here));
    store(block, select(here, splat<T>(value), load<T>(block)));
  }
}

// The matrix A of one robot. T is f64, or f64x4 for operations on four of its elements at a time. A is
// stored if it has at most kStored rows; otherwise its elements are computed whenever they are needed, which is slow,
// but takes no memory.
template <class T, i32 kDofs, i32 kMost>
class PgsMatrix {
 public:
  static constexpr i32 kStored = kMost < kStoredRows ? kMost : kStoredRows;

  // The number of elements of the stored rows, and of the vectors that they are multiplied by: whole blocks of four, of
  // which the last may end with zeros.
  ENVPOOL_ALWAYS_INLINE static i32 padded(i32 rows) { return (rows + 3) / 4 * 4; }

  // Before compute(): gives row n of Y = J * M^(-1/2).
  template <class Lanes>
  ENVPOOL_ALWAYS_INLINE void set_root(i32 n, const Lanes* root, int lane) {
    for (i32 i = 0; i < kDofs && n < kStored; ++i) columns_[i][n] = in_lane(root[i], lane);
  }
  // `roots` and `regularizer` are Y and R of all rows, which are read if A is not stored.
  ENVPOOL_ALWAYS_INLINE void compute(i32 rows, const f64 (*roots)[kDofs], const f64* regularizer) {
    rows_ = rows;
    roots_ = roots;
    regularizer_ = regularizer;
    if (!is_stored()) return;
    const i32 stride = padded(rows);
    for (i32 i = 0; i < kDofs; ++i) {
      for (i32 n = rows; n < stride; ++n) columns_[i][n] = 0;
    }
    for (i32 row = 0; row < rows; row += 4) {
      for (i32 column = 0; column < stride; column += kWidth) {
        T sum[4]{};
        for (i32 i = 0; i < kDofs; ++i) {
          const T right = load<T>(columns_[i] + column);
          for (i32 k = 0; k < 4; ++k) sum[k] = sum[k] + right * columns_[i][row + k];
        }
        for (i32 k = 0; k < 4; ++k) store(elements_ + (row + k) * stride + column, sum[k]);
      }
    }
    for (i32 n = 0; n < rows; ++n) {
      f64& diagonal = elements_[n * stride + n];
      diagonal = diagonal + regularizer[n];
    }
  }
  ENVPOOL_ALWAYS_INLINE f64 diagonal(i32 n) const {
    return !is_stored() ? element(n, n) : elements_[n * padded(rows_) + n];
  }
  // Computes the product of a row and a vector, in the order of mju_dot.
  ENVPOOL_ALWAYS_INLINE f64 multiply(i32 n, const f64* vector) const {
    if (!is_stored()) return multiply_slowly(n, vector);
    return dot_in_blocks<T, kStored>(elements_ + n * padded(rows_), vector, rows_);
  }

 private:
  ENVPOOL_ALWAYS_INLINE bool is_stored() const { return kStored == kMost || rows_ <= kStored; }
  ENVPOOL_NOINLINE f64 multiply_slowly(i32 n, const f64* vector) const {
    const auto term = [&](i32 k) { return vector[k] == 0 ? 0.0 : element(n, k) * vector[k]; };
    f64 sum[4]{}, rest = 0;
    i32 k = 0;
    for (; k < rows_ / 4 * 4; ++k) sum[k % 4] = sum[k % 4] + term(k);
    for (; k < rows_; ++k) rest = rest + term(k);
    return ((sum[0] + sum[2]) + (sum[1] + sum[3])) + rest;
  }
  ENVPOOL_FN f64 element(i32 n, i32 k) const {
    f64 sum = 0;
    for (i32 i = 0; i < kDofs; ++i) sum = sum + roots_[k][i] * roots_[n][i];
    return n == k ? sum + regularizer_[n] : sum;
  }

  i32 rows_ = 0;
  const f64 (*roots_)[kDofs] = nullptr;
  const f64* regularizer_ = nullptr;
  static constexpr i32 kWidth = sizeof(T) / sizeof(f64), kPadded = (kStored + 3) / 4 * 4;
  alignas(32) f64 columns_[kDofs][kPadded];
  alignas(32) f64 elements_[kPadded * kPadded];
};

// Solves the constraints of one robot, which has at most kMost rows.
template <class M, class T, i32 kMost>
class PgsSolver {
 public:
  // Takes the rows that a robot has in its lane: the residual of each is b, and the force is that with which the solver
  // starts. The Jacobian contains Y. Returns false if there are more rows than kMost.
  ENVPOOL_ALWAYS_INLINE bool start(const Data<M, T>& d, int lane) {
    for (i32 k = 0; k < d.rows; ++k) {
      const ConstraintRow<T>& row = d.row[k];
      if (in_lane(row.weight, lane) == 0) continue;
      if (rows_ == kMost) return false;
      const i32 n = rows_++;
      matrix_.set_root(n, d.jacobian[row.jacobian], lane);
      offset_[n] = in_lane(row.residual, lane);
      force_[n] = in_lane(row.force, lane);
      regularizer_[n] = in_lane(row.regularizer, lane);
      shuffled_[n] = u16(n);
    }
    if (rows_ == 0) return true;
    for (i32 n = rows_; n < matrix_.padded(rows_); ++n) force_[n] = before_[n] = 0;
    if constexpr (sizeof(T) == sizeof(f64)) {
      matrix_.compute(rows_, d.jacobian, regularizer_);
    } else {
      matrix_.compute(rows_, nullptr, regularizer_);
    }
    f64* const product = before_;
    for (i32 n = 0; n < rows_; ++n) {
      inverse_[n] = 1 / matrix_.diagonal(n);
      diagonal_[n] = 1 / inverse_[n];
      product[n] = matrix_.multiply(n, force_);
    }
    const f64 cost = dot<kMost>(force_, offset_, rows_) + 0.5 * dot<kMost>(force_, product, rows_);
    for (i32 n = 0; n < rows_ && cost > 0; ++n) force_[n] = 0;
    return true;
  }

  ENVPOOL_ALWAYS_INLINE i32 rows() const { return rows_; }

  // Begins a sweep: moves the forces along the change that the last sweep made, and shuffles the rows.
  ENVPOOL_ALWAYS_INLINE void begin_sweep() {
    const f64 momentum = f64(age_ - 1) / f64(age_ + 2);
    for (i32 n = 0; n < rows_; n += kWidth) {
      const T last = load<T>(force_ + n);
      T moved = last;
      if (momentum > 0) {
        moved = last + (last - load<T>(before_ + n)) * momentum;
        moved = select(moved < T{}, T{}, moved);
      }
      store(before_ + n, last);
      store(moved_ + n, moved);
      store(force_ + n, moved);
    }
    order_ = next_order();
    decrease_ = 0;
  }
  // Minimizes over the force of the k-th row of the sweep.
  ENVPOOL_ALWAYS_INLINE void visit(i32 k) {
    const i32 n = order_[k];
    const f64 slope = offset_[n] + matrix_.multiply(n, force_), last = force_[n];
    f64 force = last - slope * inverse_[n];
    if (force < 0) force = 0;
    const f64 step = force - last;
    const f64 change = 0.5 * step * step * diagonal_[n] + step * slope;
    if (change > 1e-10) return;
    decrease_ = decrease_ - change;
    replace<T>(force_, n, force);
  }
  // Ends a sweep, and returns whether there must be another.
  ENVPOOL_ALWAYS_INLINE bool end_sweep(f64 scale, f64 tolerance) {
    f64 along = 0;  // the correction by the sweep, along the change that the momentum made
    for (i32 n = 0; n < rows_; ++n) along = along + (force_[n] - moved_[n]) * (moved_[n] - before_[n]);
    age_ = sweeps_ > 0 && along < 0 ? 0 : age_ + 1;
    ++sweeps_;
    return !(decrease_ * scale < tolerance);
  }

  ENVPOOL_ALWAYS_INLINE f64 force(i32 n) const { return force_[n]; }

 private:
  ENVPOOL_ALWAYS_INLINE const u16* next_order() {
#if ENVPOOL_HOST
    using Orders = SweepOrders<M::kIterations>;
    if (rows_ <= Orders::kMost) return kSweepOrders<M::kIterations>.rows + Orders::first(rows_, sweeps_);
#endif
    shuffle(shuffled_, rows_, random_);
    return shuffled_;
  }

  i32 rows_ = 0, sweeps_ = 0;
  i32 age_ = 0;  // sweeps since the momentum began, or began again
  f64 decrease_ = 0;
  Pcg32 random_;
  PgsMatrix<T, M::kDofs, kMost> matrix_;
  f64 offset_[kMost], regularizer_[kMost], diagonal_[kMost], inverse_[kMost];
  static constexpr i32 kWidth = sizeof(T) / sizeof(f64), kPadded = (kMost + 3) / 4 * 4;
  alignas(32) f64 force_[kPadded], before_[kPadded], moved_[kPadded];  // now, and before and after the momentum
  const u16* order_ = nullptr;
  u16 shuffled_[kMost];
};

// Replaces the Jacobian J by Y = J * M^(-1/2).
template <class M, class T>
ENVPOOL_ALWAYS_INLINE void make_roots(Data<M, T>& d) {
  T scale[M::kDofs];
  ENVPOOL_UNROLL
  for (i32 i = 0; i < M::kDofs; ++i) scale[i] = 1.0 / sqrt(d.factor[M::dof(i).row + M::dof(i).ancestors]);
  for (i32 k = 0; k < d.rows; ++k) {
    const ConstraintRow<T>& row = d.row[k];
    T* const x = d.jacobian[row.jacobian];
    if (row.dof >= 0) {
      zero<M::kDofs>(x);
      x[row.dof] = row.sign;
    }
    ENVPOOL_UNROLL
    for (i32 i = M::kDofs - 1; i > 0; --i) {
      const Dof& dof = M::dof(i);
      if (!any(x[i] != T{})) continue;
      ENVPOOL_UNROLL
      for (i32 a = 0; a < dof.ancestors; ++a) {
        const i32 j = M::column(dof.row + a);
        x[j] = x[j] - d.factor[dof.row + a] * x[i];
      }
    }
    for (i32 i = 0; i < M::kDofs; ++i) x[i] = x[i] * scale[i];
  }
}

// Computes d.qfrc_constraint from the forces of the rows. The Jacobian of contacts is computed again, because Y has
// replaced it.
template <class M, class T>
ENVPOOL_ALWAYS_INLINE void sum_forces(Data<M, T>& d) {
  T* const sum = d.qfrc_constraint;
  for (i32 k = 0; k < d.rows && d.row[k].dof >= 0; ++k) {
    sum[d.row[k].dof] = sum[d.row[k].dof] + d.row[k].sign * d.row[k].force;
  }
  for (i32 c = 0; c < d.contacts; ++c) {
    const Contact<T>& contact = d.contact[c];
    const i32 rows = M::pair(contact.pair).dimensions == 3 ? 4 : 1;
    Mask<T> has_force = no<T>();
    for (i32 k = 0; k < rows; ++k) has_force = has_force | (d.row[contact.row + k].force != T{});
    if (!any(has_force)) continue;
    T jacobian[4][M::kDofs];
    contact_jacobian<M, T>(d, contact, jacobian);
    for (i32 k = 0; k < rows; ++k) add_scaled<M::kDofs>(sum, jacobian[k], d.row[contact.row + k].force);
  }
}

// Computes d.qacc and d.qfrc_constraint. The solver starts with the forces that belong to the acceleration of the last
// step, or with none if they are better.
template <class M, class T>
ENVPOOL_ALWAYS_INLINE void solve_by_pgs(Data<M, T>& d, const T* warm_start) {
  static_assert(M::kTrees == 1);
  constexpr int kLanes = sizeof(T) / sizeof(f64);
  zero<M::kDofs>(d.qfrc_constraint);
  copy<M::kDofs>(d.qacc, d.qacc_smooth);
  if (d.rows == 0) return;
  for (i32 k = 0; k < d.rows; ++k) {
    ConstraintRow<T>& row = d.row[k];
    row.residual = multiply_row(d, row, d.qacc_smooth, 0, M::kDofs) - row.reference;
    const T warm = multiply_row(d, row, warm_start, 0, M::kDofs) - row.reference;
    row.force = select(warm < T{}, -row.weight * warm, T{});
  }
  make_roots(d);
  T diagonal{};
  for (i32 i = 0; i < M::kDofs; ++i) diagonal = diagonal + d.mass[M::dof(i).row + M::dof(i).ancestors];
  const T scale = 1.0 / diagonal;

  // The robots take turns row by row, so that their operations overlap.
  constexpr i32 kMost = kLanes == 1 ? i32(Room<M, T>::kRows) : 48;
  PgsSolver<M, T, kMost> robots[kLanes];
  i32 rows[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) {
    d.is_full = d.is_full || !robots[lane].start(d, lane);
    rows[lane] = robots[lane].rows();
  }
  if (d.is_full) return;
  for (i32 sweep = 0; sweep < M::kIterations; ++sweep) {
    i32 most = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      if (rows[lane] > 0) robots[lane].begin_sweep();
      most = max(most, rows[lane]);
    }
    if (most == 0) break;
    for (i32 k = 0; k < most; ++k) {
      ENVPOOL_UNROLL
      for (int lane = 0; lane < kLanes; ++lane) {
        if (k < rows[lane]) robots[lane].visit(k);
      }
    }
    for (int lane = 0; lane < kLanes; ++lane) {
      if (rows[lane] > 0 && !robots[lane].end_sweep(in_lane(scale, lane), M::kTolerance)) rows[lane] = 0;
    }
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    i32 n = 0;
    for (i32 k = 0; k < d.rows; ++k) {
      ConstraintRow<T>& row = d.row[k];
      set_lane(row.force, lane, in_lane(row.weight, lane) == 0 ? 0 : robots[lane].force(n++));
    }
  }
  sum_forces(d);
  copy<M::kDofs>(d.qacc, d.qfrc_constraint);
  solve<M>(d.factor, d.inverse, d.qacc);
  for (i32 i = 0; i < M::kDofs; ++i) d.qacc[i] = d.qacc[i] + d.qacc_smooth[i];
}

}  // namespace envpool::robots
