// SPDX-License-Identifier: Apache-2.0
//
// Counts how often a cache line moves from one thread to another. Without ENVPOOL_TRACE_LINES the functions do nothing.
#pragma once

namespace cache_lines {

#ifdef ENVPOOL_TRACE_LINES
void start();
void stop();
void begin_batch();
void report(double batches, double steps);
#else
inline void start() {}
inline void stop() {}
inline void begin_batch() {}
inline void report(double, double) {}
#endif

}  // namespace cache_lines
