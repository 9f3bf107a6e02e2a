// SPDX-License-Identifier: MIT
#include "fleet/core/loss_policy.hpp"

namespace fleet {

namespace {

using namespace std::chrono_literals;
using enum loss_stage;

constexpr std::chrono::nanoseconds first_wait = 10s;

}  // namespace

std::chrono::nanoseconds wait_after(std::uint64_t losses) {
  return first_wait * (1 << (losses - 1));
}

bool loss_policy::launched() {
  return (stage_ == calm || stage_ == waiting || stage_ == abandoned) && rest();
}

bool loss_policy::ready(time now) {
  return (stage_ == calm || stage_ == relaunching || stage_ == missing) && become(serving, now);
}

// Readiness counts without a gap, so it is measured where it ends.
bool loss_policy::unroutable(time now) {
  if (stage_ != serving)
    return false;
  if (now - since_ >= rules_.stable_after)
    losses_ = 0;
  return become(missing, now);
}

bool loss_policy::ended(bool confirmed, time now) {
  if (stage_ == waiting || stage_ == abandoned)
    return false;
  if (!confirmed || (stage_ != retiring && stage_ != relaunching))
    return rest();
  ++losses_;
  return become(losses_ < most_losses ? waiting : abandoned, now);
}

bool loss_policy::stop() {
  if (stage_ == abandoned || stage_ == leaving)
    return false;
  const bool gone = stage_ == waiting;
  rest();
  stage_ = gone ? calm : leaving;
  return true;
}

loss_policy::wish loss_policy::tick(time now) {
  if (const auto when = due(); !when || now < *when)
    return wish::nothing;
  const bool dead = stage_ == missing;
  become(dead ? retiring : relaunching, now);
  return dead ? wish::retire : wish::launch;
}

std::optional<loss_policy::time> loss_policy::due() const {
  if (stage_ == missing)
    return since_ + rules_.replace_after;
  if (stage_ == waiting)
    return since_ + wait_after(losses_);
  return std::nullopt;
}

std::uint64_t loss_policy::attempt() const {
  if (stage_ == waiting || stage_ == relaunching)
    return losses_;
  return stage_ == retiring && losses_ + 1 < most_losses ? losses_ + 1 : 0;
}

bool loss_policy::become(loss_stage next, time now) {
  stage_ = next;
  since_ = now;
  return true;
}

bool loss_policy::rest() {
  const bool changed = stage_ != calm || losses_ != 0;
  stage_ = calm;
  losses_ = 0;
  return changed;
}

}  // namespace fleet
