// SPDX-License-Identifier: Apache-2.0
//
// A model checker for the protocol by which send(), recv() and workers wait for and wake each other (worker_wakeups.h,
// scheduler.h, env_pool.h). It explores every interleaving of a model of the protocol. When no thread can proceed,
// every recv() must have returned; otherwise a wake-up was lost. Unlike the real recv(), which wakes every 50 ms to
// check for signals, threads in the model never wake by themselves.
//
// Each case of step() is one access to shared data. Steps of the protocol can be omitted; the checker must then find a
// wait that never ends, which shows that the model is able to detect such errors.
#include <array>
#include <cstdio>
#include <string>
#include <unordered_map>
#include <vector>

#include "envpool/core/types.h"
#include "tests/support/testing.h"

namespace envpool {
namespace {

struct Protocol {
  bool wakes_for_receivers = true;      // a send that needs no worker wakes one if a recv() waits
  bool publishes_first = true;          // work is published before wake-ups are requested
  bool looks_before_sleeping = true;    // a worker checks for a wake-up again before it sleeps
  bool counts_before_looking = true;    // a worker counts itself as sleeping before that check
  bool locks_before_notifying = true;   // callers lock and unlock the workers' mutex before they notify
  bool notifies_receivers = true;       // the thread that completes a batch notifies recv()
  bool receivers_count_first = true;    // recv() counts itself as waiting before it checks for a batch
  bool workers_empty_the_queue = true;  // a worker continues until the queue is empty
};

struct Send {
  u8 rows, workers;  // number of rows queued, and of workers requested
};

struct Scenario {
  int workers;
  u8 batch_size;
  std::vector<std::vector<Send>> senders;  // the sends of each sending thread
  int receivers;                           // threads that call recv() once each
};

constexpr int kMaxThreads = 6;
constexpr u8 kFree = 0xFF;

// The program counter of a thread.
enum Location : u8 {
  // A sender.
  kSendBegin,
  kPublish,
  kRequest,
  kReadSpinning,
  kReadSleeping,
  kLockToNotify,
  kNotify,
  kSendEnd,
  // A receiver.
  kRecvBegin,
  kLookForBatch,
  kTakeRow,
  kFinishRow,
  kReadWaiting,
  kNotifyReceivers,
  kLockAgain,
  kLockToWait,
  kCountWaiting,
  kLookBeforeWaiting,
  kReceiverFallsAsleep,
  kReceiverSleeps,
  // A worker.
  kSpin,
  kSpinLook,
  kSpinClaim,
  kClaimed,
  kStopSpinning,
  kLockToSleep,
  kCountSleeping,
  kLookBeforeSleeping,
  kClaimBeforeSleeping,
  kWorkerFallsAsleep,
  kWorkerSleeps,
  kWorkerTakesRow,
  kWorkerFinishesRow,
  kWorkerReadsWaiting,
  kWorkerNotifiesReceivers,
  kDone,
};

struct Thread {
  u8 location = kDone;
  u8 number = 0;  // of the sender's current send
  i8 remaining = 0;
  bool steps_itself = false;  // whether the receiver steps environments
  bool notified = false;
};

struct State {
  u8 mutex = kFree, sleep_mutex = kFree;  // the threads that hold them
  u8 queued = 0, done = 0, taken = 0;     // rows in the queue, rows written, batches received
  u8 unclaimed = 0, spinning = 0, sleeping = 0, waiting = 0, receiving = 0;
  bool caller_runs_all = true;
  std::array<Thread, kMaxThreads> threads{};

  std::string key() const {
    std::string bytes{char(mutex),   char(sleep_mutex), char(queued),         char(done),
                      char(taken),   char(unclaimed),   char(spinning),       char(sleeping),
                      char(waiting), char(receiving),   char(caller_runs_all)};
    for (const Thread& t : threads) {
      bytes += {char(t.location), char(t.number), char(t.remaining), char(t.steps_itself * 2 + t.notified)};
    }
    return bytes;
  }
};

// Says whether to print an interleaving that violates the protocol.
enum class Trace { kNone, kPrint };

class Checker {
 public:
  Checker(const Scenario& scenario, const Protocol& protocol) : scenario_(scenario), protocol_(protocol) {}

  // Returns whether every recv() returns in every interleaving. Optionally prints an interleaving in which one does
  // not.
  bool explore(Trace trace) {
    State start;
    int t = 0;
    for (size_t i = 0; i < scenario_.senders.size(); ++i) start.threads[size_t(t++)].location = kSendBegin;
    for (int i = 0; i < scenario_.receivers; ++i) start.threads[size_t(t++)].location = kRecvBegin;
    for (int i = 0; i < scenario_.workers; ++i) start.threads[size_t(t++)].location = kSpin;
    visit(start, -1, 0);
    for (size_t at = 0; at < visited_.size(); ++at) {
      bool stuck = true;
      for (int thread = 0; thread < t; ++thread) {
        next_.clear();
        step(visited_[at].state, thread);
        stuck &= next_.empty();
        for (const State& state : next_) visit(state, int(at), thread);
      }
      if (!stuck || all_received(visited_[at].state)) continue;
      if (trace == Trace::kPrint) print(int(at));
      return false;
    }
    return true;
  }
  size_t states() const { return visited_.size(); }

 private:
  struct Visited {
    State state;
    int from, thread;
  };

  void visit(const State& state, int from, int thread) {
    if (known_.emplace(state.key(), int(visited_.size())).second) visited_.push_back({state, from, thread});
  }
  bool all_received(const State& state) const { return int(state.taken) == scenario_.receivers; }
  bool complete(const State& s) const { return s.done >= (s.taken + 1) * scenario_.batch_size; }

  // Appends to next_ the states that one step of a thread can lead to; none if the thread has to wait.
  void step(const State& before, int number) {
    State s = before;
    Thread& t = s.threads[size_t(number)];
    const auto go = [&](u8 location) {
      t.location = location;
      next_.push_back(s);
    };
    const auto lock = [&](u8& mutex) {
      if (mutex != kFree) return false;
      mutex = u8(number);
      return true;
    };
    switch (t.location) {
      // ---- send(); the pool's mutex is held from the first step to the last ----
      case kSendBegin:
        if (t.number == scenario_.senders[size_t(number)].size()) return go(kDone);
        if (lock(s.mutex)) go(protocol_.publishes_first ? kPublish : kRequest);
        return;
      case kPublish:
        s.queued += scenario_.senders[size_t(number)][t.number].rows;
        return go(protocol_.publishes_first ? kRequest : kReadSpinning);
      case kRequest: {
        u8 workers = scenario_.senders[size_t(number)][t.number].workers;
        if (protocol_.wakes_for_receivers && s.receiving > 0 && workers == 0) workers = 1;
        s.caller_runs_all = workers == 0;
        s.unclaimed = workers;
        t.remaining = i8(workers);
        return go(protocol_.publishes_first ? kReadSpinning : kPublish);
      }
      case kReadSpinning: t.remaining = i8(t.remaining - s.spinning); return go(kReadSleeping);
      case kReadSleeping:
        if (t.remaining > i8(s.sleeping)) t.remaining = i8(s.sleeping);
        if (t.remaining <= 0) t.remaining = 0;
        return go(t.remaining == 0 ? kSendEnd : protocol_.locks_before_notifying ? kLockToNotify : kNotify);
      case kLockToNotify:
        if (s.sleep_mutex == kFree) go(kNotify);  // and unlocks it
        return;
      case kNotify: {
        const bool last = --t.remaining == 0;
        t.location = last ? kSendEnd : kNotify;
        bool any_sleeping = false;
        for (size_t i = 0; i < s.threads.size(); ++i) {  // any sleeping worker may be the one that is notified
          if (s.threads[i].location != kWorkerSleeps || s.threads[i].notified) continue;
          State chosen = s;
          chosen.threads[i].notified = true;
          next_.push_back(chosen);
          any_sleeping = true;
        }
        if (!any_sleeping) next_.push_back(s);
        return;
      }
      case kSendEnd:
        s.mutex = kFree;
        ++t.number;
        return go(kSendBegin);

      // ---- recv(); the pool's mutex is held except while it steps or sleeps ----
      case kRecvBegin:
        if (!lock(s.mutex)) return;
        ++s.receiving;
        t.steps_itself = s.caller_runs_all;
        return go(kLookForBatch);
      case kLookForBatch:
        if (complete(s)) {
          ++s.taken;
          --s.receiving;
          s.mutex = kFree;
          return go(kDone);
        }
        if (!t.steps_itself) return go(protocol_.receivers_count_first ? kCountWaiting : kLookBeforeWaiting);
        s.mutex = kFree;
        return go(kTakeRow);
      case kTakeRow:
        if (s.queued == 0) return go(kLockToWait);  // the spinning is over
        --s.queued;
        return go(kFinishRow);
      case kFinishRow: return go(++s.done % scenario_.batch_size == 0 ? kReadWaiting : kLockAgain);
      case kReadWaiting: return go(s.waiting > 0 && protocol_.notifies_receivers ? kNotifyReceivers : kLockAgain);
      case kNotifyReceivers:
        if (s.mutex != kFree) return;
        notify_receivers(s);
        return go(kLockAgain);
      case kLockAgain:
        if (lock(s.mutex)) go(kLookForBatch);
        return;
      case kLockToWait:
        if (lock(s.mutex)) go(protocol_.receivers_count_first ? kCountWaiting : kLookBeforeWaiting);
        return;
      case kCountWaiting:
        ++s.waiting;
        return go(protocol_.receivers_count_first ? kLookBeforeWaiting : kReceiverFallsAsleep);
      case kLookBeforeWaiting:
        if (!complete(s)) return go(protocol_.receivers_count_first ? kReceiverFallsAsleep : kCountWaiting);
        if (protocol_.receivers_count_first) --s.waiting;
        return go(kLookForBatch);
      case kReceiverFallsAsleep: s.mutex = kFree; return go(kReceiverSleeps);
      case kReceiverSleeps:
        if (!t.notified || !lock(s.mutex)) return;
        t.notified = false;
        --s.waiting;
        return go(kLookForBatch);

      // ---- a worker ----
      case kSpin: ++s.spinning; return go(kSpinLook);
      case kSpinLook:
        go(kStopSpinning);
        if (s.queued > 0) go(kSpinClaim);
        return;
      case kSpinClaim:
        if (s.unclaimed == 0) return go(kSpinLook);
        --s.unclaimed;
        return go(kClaimed);
      case kClaimed: --s.spinning; return go(kWorkerTakesRow);
      case kStopSpinning: --s.spinning; return go(kLockToSleep);
      case kLockToSleep:
        if (!lock(s.sleep_mutex)) return;
        return go(protocol_.counts_before_looking ? kCountSleeping : kLookBeforeSleeping);
      case kCountSleeping:
        ++s.sleeping;
        if (!protocol_.counts_before_looking || !protocol_.looks_before_sleeping) return go(kWorkerFallsAsleep);
        return go(kLookBeforeSleeping);
      case kLookBeforeSleeping:
        if (s.queued > 0) return go(kClaimBeforeSleeping);
        return go(protocol_.counts_before_looking ? kWorkerFallsAsleep : kCountSleeping);
      case kClaimBeforeSleeping:
        if (s.unclaimed == 0) return go(protocol_.counts_before_looking ? kWorkerFallsAsleep : kCountSleeping);
        --s.unclaimed;
        if (protocol_.counts_before_looking) --s.sleeping;
        s.sleep_mutex = kFree;
        return go(kWorkerTakesRow);
      case kWorkerFallsAsleep: s.sleep_mutex = kFree; return go(kWorkerSleeps);
      case kWorkerSleeps:
        if (!t.notified || !lock(s.sleep_mutex)) return;
        t.notified = false;
        if (protocol_.counts_before_looking) return go(kLookBeforeSleeping);
        --s.sleeping;
        return go(kLookBeforeSleeping);
      case kWorkerTakesRow:
        if (s.queued == 0) return go(kSpin);
        --s.queued;
        return go(kWorkerFinishesRow);
      case kWorkerFinishesRow: {
        const u8 next = protocol_.workers_empty_the_queue ? kWorkerTakesRow : kSpin;
        return go(++s.done % scenario_.batch_size == 0 ? u8(kWorkerReadsWaiting) : next);
      }
      case kWorkerReadsWaiting:
        return go(s.waiting > 0 && protocol_.notifies_receivers ? kWorkerNotifiesReceivers : kWorkerTakesRow);
      case kWorkerNotifiesReceivers:
        if (s.mutex != kFree) return;
        notify_receivers(s);
        return go(kWorkerTakesRow);
      default: return;
    }
  }

  static void notify_receivers(State& s) {
    for (Thread& t : s.threads) {
      if (t.location == kReceiverSleeps) t.notified = true;
    }
  }

  void print(int at) const {
    std::vector<int> path;
    for (; at > 0; at = visited_[size_t(at)].from) path.push_back(at);
    for (size_t i = path.size(); i-- > 0;) {
      const Visited& found = visited_[size_t(path[i])];
      std::printf("thread %d goes to %d: queued %d, unclaimed %d, waiting %d\n", found.thread,
                  int(found.state.threads[size_t(found.thread)].location), int(found.state.queued),
                  int(found.state.unclaimed), int(found.state.waiting));
    }
  }

  const Scenario scenario_;
  const Protocol protocol_;
  std::vector<Visited> visited_;
  std::unordered_map<std::string, int> known_;
  std::vector<State> next_;
};

// The scenarios have sends that request no worker, one or two; one or two threads of each kind; and batches of one or
// two rows.
const std::vector<Scenario>& scenarios() {
  static const std::vector<Scenario> all = {
      {1, 1, {{{1, 0}}}, 1},           {1, 1, {{{1, 1}}}, 1},           {1, 2, {{{1, 0}, {1, 0}}}, 1},
      {1, 2, {{{1, 1}, {1, 0}}}, 1},   {1, 1, {{{1, 1}, {1, 0}}}, 2},   {2, 1, {{{2, 2}}}, 2},
      {2, 2, {{{1, 2}}, {{1, 0}}}, 1}, {1, 1, {{{1, 0}}, {{1, 0}}}, 2},
  };
  return all;
}

bool holds(const Protocol& protocol) {
  for (const Scenario& scenario : scenarios()) {
    if (!Checker(scenario, protocol).explore(Trace::kNone)) return false;
  }
  return true;
}

TEST(every_wait_ends_in_every_interleaving) {
  size_t states = 0;
  for (const Scenario& scenario : scenarios()) {
    Checker checker(scenario, {});
    CHECK(checker.explore(Trace::kPrint));
    states += checker.states();
  }
  std::printf("%zu states\n", states);
  CHECK(states > 10000);
}

// A regression test. A send that was too small to wake a worker left its work to the next recv(). Another thread was
// blocked in recv() already, and the sending thread never called it.
TEST(the_checker_finds_the_missing_wake_up_of_a_blocked_receiver) { CHECK(!holds({.wakes_for_receivers = false})); }

TEST(the_checker_detects_every_omission) {
  CHECK(!holds({.publishes_first = false}));
  CHECK(!holds({.looks_before_sleeping = false}));
  CHECK(!holds({.counts_before_looking = false}));
  CHECK(!holds({.locks_before_notifying = false}));
  CHECK(!holds({.notifies_receivers = false}));
  CHECK(!holds({.receivers_count_first = false}));
  CHECK(!holds({.workers_empty_the_queue = false}));
}

}  // namespace
}  // namespace envpool

TEST_MAIN()
