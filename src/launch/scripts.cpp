// SPDX-License-Identifier: MIT
#include "scripts.hpp"

namespace fleet::scripts {

namespace {

// find_ours sets `members` (of the group, when it is the launched one) and `others` (elsewhere).
// The group's identity is settled once and holds as long as it has members: the system does not
// give its number away before. A pattern of grep would match a longer instance, so a hit is
// compared whole. Some greps stop at a NUL; there every process is compared.
constexpr std::string_view find = R"sh(
export LC_ALL=C
instance=$1 group=$2 birth=$3
carried=PYPTO_ROUTER_INSTANCE=$instance
boot= ; read -r boot 2>/dev/null </proc/sys/kernel/random/boot_id

carries() {
  { tr '\000' '\n' <"/proc/$1/environ"; } 2>/dev/null | grep -qxF -e "$carried"
}

grep_reads_on=
! printf 'a\000b\n' | grep -qF b || grep_reads_on=yes

find_others() {
  others=
  if [ -n "$grep_reads_on" ]; then
    set -- $(grep -lsF -e "$carried" /proc/[0-9]*/environ)
  else
    set -- /proc/[0-9]*/environ
  fi
  for file; do
    pid=${file#/proc/}
    pid=${pid%/environ}
    case " $members " in
      *" $pid "*) ;;
      *) ! carries "$pid" || others="$others $pid" ;;
    esac
  done
}

look_at_group() {
  leader= members=
  [ "$group" -gt 1 ] || return 0
  set -- $(cat /proc/[0-9]*/stat 2>/dev/null | awk -v group="$group" '
    { pid = $1; sub(/^.*\) /, "") }
    pid == group { print "leader", $20 }
    $3 == group && !($1 ~ /[ZX]/ && $18 < 2) { print "member", pid }')
  while [ $# -gt 1 ]; do
    if [ "$1" = leader ]; then leader=$2@$boot; else members="$members $2"; fi
    shift 2
  done
}

some_member_carries() {
  for pid in $members; do
    ! carries "$pid" || return 0
  done
  return 1
}

settle_group() {
  case $birth in
    "" | *@"$boot") ;;
    *) group=0 ;;
  esac
  look_at_group
  if [ -z "$members" ]; then
    group=0
  elif [ -n "$leader" ] && [ "$leader" = "$birth" ]; then
    :
  elif [ -n "$leader" ] && [ -n "$birth" ]; then
    group=0
  elif some_member_carries; then
    :
  elif [ -n "$leader" ]; then
    group=0
  else
    unclear=$members
    group=0
  fi
}

find_ours() {
  look_at_group
  [ -n "$members" ] || group=0
  find_others
}

unclear=
settle_group
)sh";

constexpr std::string_view stop_ours = R"sh(
look_at_clock() {
  read -r up rest </proc/uptime
  now=${up%.*}${up#*.}
}

signal_ours() {
  if [ -n "$members" ]; then kill -s "$1" -- "-$group"; fi
  for pid in $others; do kill -s "$1" "$pid"; done
}

done_if_none() {
  find_ours
  if [ -z "$members$others" ]; then
    if [ -n "$unclear" ]; then
      echo "left alone, as they may be strangers in process group $2:$unclear" >&2
      exit 1
    fi
    echo "pypto-router: stopped"
    exit 0
  fi
}

short_sleep() { sleep 0.1 2>/dev/null || sleep 1; }

done_if_none "$@"
signal_ours TERM 2>/dev/null
look_at_clock
end=$((now + $4))
while [ "$now" -lt "$end" ]; do
  short_sleep
  done_if_none "$@"
  look_at_clock
done
end=$((now + 500))
while errors=$(signal_ours KILL 2>&1); [ "$now" -lt "$end" ]; do
  short_sleep
  done_if_none "$@"
  look_at_clock
done
if [ -n "$errors" ]; then echo "$errors" >&2; fi
echo "still there after SIGKILL:$members$others" >&2
exit 1
)sh";

constexpr std::string_view tell_state = R"sh(
find_ours
if [ -n "$members$others$unclear" ]; then echo "pypto-router: alive"; fi
if read -r whose status 2>/dev/null <"$4.exit" && [ "$whose" = "$instance" ]; then
  echo "pypto-router: exited $status"
fi
shift 3
)sh";

constexpr std::string_view tell_log = R"sh(
begin_log() { echo "pypto-router: log"; }
[ -e "$1" ] || { begin_log; echo "there is none yet: $1" >&2; exit 1; }
size=$(wc -c <"$1") || { begin_log; exit 1; }
echo "pypto-router: size $((size))"
begin=$2
[ "$begin" -le "$size" ] || begin=0
length=$((size - begin))
[ "$length" -le "$3" ] || { length=$3; echo "pypto-router: cut"; }
begin_log
tail -c +$((size - length + 1)) <"$1" | head -c "$length"
)sh";

}  // namespace

const std::string_view launch = R"sh(
echo "pypto-router: begun" || exit 1
log=$1
shift
directory=${log%/*}
mkdir -p -- "${directory:-/}" && : >>"$log" && rm -f -- "$log.exit" || exit 1
size=$(wc -c <"$log")
unset PYPTO_ROUTER_ADMIN_TOKEN
if setsid --fork true 2>/dev/null; then
  started=$(setsid --fork "$@")
else
  started=$(setsid "$@" &)
fi
[ -n "$started" ] || exit 1
echo "pypto-router: started $started $((size))"
)sh";

// The checks come first because only then somebody hears of them. The trap lets it outlive a polite
// stop of the group, to note the end. The command runs in a subshell, where the trap is undone.
const std::string_view monitor = R"sh(
log=$1 instance=$2 workdir=$3
shift 3
enter() { [ -z "$workdir" ] || CDPATH= cd -- "$workdir"; }
can_run() { command -v "$1" >/dev/null || { echo "$1: not found" >&2; return 1; }; }
(enter && can_run "$1") || exit 127
start() { shift 19; echo "$1"; }
read -r stat </proc/$$/stat
read -r boot </proc/sys/kernel/random/boot_id
echo "$$ $(start ${stat##*) })@$boot"
exec </dev/null >>"$log" 2>&1 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
trap : HUP INT TERM
(enter && exec "$@")
echo "$instance $?" >"$log.exit"
)sh";

std::string stop() {
  return std::string(find) += stop_ours;
}

std::string inspect() {
  return (std::string(find) += tell_state) += tell_log;
}

std::string read_log() {
  return std::string(tell_log);
}

}  // namespace fleet::scripts
