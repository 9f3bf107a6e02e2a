# SPDX-License-Identifier: MIT
# The measurements of tools/bench/run as a table on standard output and, with -v json=FILE, as JSON.
# Reads three files in this order: about (key, text), peaks (kind, contender, peak and first resident
# KiB) and rows (workload, contender, round, units, errors, rate, p50 us, p99 us, CPU us per unit).
BEGIN { FS = "\t" }

NF == 2 { about[++abouts] = $1; text[$1] = $2 }
NF == 4 { peak[$1, $2] = $3; base[$1, $2] = $4 }
NF == 9 {
  if (!($1 in seen_workload)) { seen_workload[$1] = 1; workloads[++workload_count] = $1 }
  if (!($2 in seen_contender)) { seen_contender[$2] = 1; contenders[++contender_count] = $2 }
  n = ++samples[$1, $2]
  units[$1, $2] += $4
  errors[$1, $2] += $5
  all_errors += $5
  for (column = 6; column <= 9; ++column) value[$1, $2, column, n] = $column
}

END {
  for (i = 1; i <= abouts; ++i) printf "%-8s %s\n", about[i], text[about[i]]
  for (w = 1; w <= workload_count; ++w) table(workloads[w])
  if (json != "") write_json()
  if (all_errors) print "bench: " all_errors " errors, the figures do not count" > "/dev/stderr"
  exit all_errors > 0
}

# The middle one of all rounds of one column; with an even number, the mean of the middle two.
function median(workload, contender, column,    n, i, j, held, sorted) {
  n = samples[workload, contender]
  for (i = 1; i <= n; ++i) {
    held = value[workload, contender, column, i] + 0
    for (j = i - 1; j > 0 && sorted[j] > held; --j) sorted[j + 1] = sorted[j]
    sorted[j + 1] = held
  }
  return n % 2 ? sorted[(n + 1) / 2] : (sorted[n / 2] + sorted[n / 2 + 1]) / 2
}

function kind(workload) {
  if (workload == "open") return "open"
  return workload ~ /^(paced|burst|mixed)$/ ? "events" : "turns"
}

function unit(workload) { return kind(workload) == "turns" ? "turn" : "event" }

# Our figure as a multiple of another proxy's, per column; 0 when one of them is missing.
function ratio(workload, other, column) {
  if (!samples[workload, "router"] || !samples[workload, other]) return 0
  return median(workload, "router", column) / median(workload, other, column)
}

function title(workload) {
  if (workload == "turns") return "turns: 1 KiB chat turns, 32 connections"
  if (workload == "single") return "single: 1 KiB chat turns, one connection"
  if (workload == "many") return "many: 1 KiB chat turns, 256 connections"
  if (workload == "large") return "large: 64 KiB prompts, 32 connections"
  if (workload == "huge") return "huge: 1 MiB prompts, 8 connections"
  if (workload == "churn") return "churn: 1 KiB chat turns, a new connection for each, 32 at a time"
  if (workload == "paced") return "paced: 64 streams, one 100-byte event every 5 ms each"
  if (workload == "mixed") return "mixed: the same while 1,000 new sessions a second come in"
  if (workload == "open") return "open: idle streams, one event a second each"
  return "burst: 32 streams of 200 events, as fast as they go"
}

function table(w,    c, name) {
  printf "\n%s\n%-10s %12s %10s %10s %14s %10s %8s\n", title(w), "", unit(w) "s/s", "p50 us",
    "p99 us", "CPU us/" unit(w), "peak KiB", "errors"
  for (c = 1; c <= contender_count; ++c) {
    name = contenders[c]
    if (!samples[w, name]) continue
    printf "%-10s %12.0f %10.0f %10.0f %14s %10s %8d\n", name, median(w, name, 6),
      median(w, name, 7), median(w, name, 8),
      name == "direct" ? "-" : sprintf("%.2f", median(w, name, 9)),
      name == "direct" ? "-" : peak[kind(w), name], errors[w, name]
  }
  if (w == "open") memory()
  ratios(w, "haproxy")
  ratios(w, "nginx")
  if (target(w) && ratio(w, "haproxy", 9)) {
    printf "target: CPU at most x%.1f of haproxy: %s\n", target(w),
      ratio(w, "haproxy", 9) <= target(w) ? "met" : "missed"
  }
}

# How many times HAProxy's processor time a unit may cost; 0 where that is not judged.
function target(w) { return w == "turns" ? 1.5 : w == "paced" || w == "burst" ? 2 : 0 }

function per_stream(name) {
  return (peak["open", name] - base["open", name]) / stream_count()
}

function stream_count(    i) {
  for (i = 1; i <= abouts; ++i) if (about[i] == "streams") return text[about[i]] + 0
}

function memory(    c, name) {
  printf "%d streams, KiB of each:", stream_count()
  for (c = 1; c <= contender_count; ++c) {
    name = contenders[c]
    if (name != "direct" && samples["open", name]) printf " %s %.1f", name, per_stream(name)
  }
  printf "\n"
}

function ratios(w, other) {
  if (ratio(w, other, 6)) {
    printf "router / %-8s rate x%.2f, p50 x%.2f, p99 x%.2f, CPU x%.2f\n", other, ratio(w, other, 6),
      ratio(w, other, 7), ratio(w, other, 8), ratio(w, other, 9)
  }
}

function all_rounds(w, name, column,    i, list) {
  for (i = 1; i <= samples[w, name]; ++i) list = list (i > 1 ? "," : "") value[w, name, column, i]
  return "[" list "]"
}

function write_json(    i, w, c, name, first) {
  printf "{" > json
  for (i = 1; i <= abouts; ++i) {
    gsub(/["\\]/, "", text[about[i]])
    printf "\"%s\":\"%s\",\n", about[i], text[about[i]] > json
  }
  printf "\"results\":[" > json
  for (w = 1; w <= workload_count; ++w) for (c = 1; c <= contender_count; ++c) {
    name = contenders[c]
    if (!samples[workloads[w], name]) continue
    printf "%s\n{\"workload\":\"%s\",\"contender\":\"%s\",\"units\":%d,\"errors\":%d,", first++ ? "," : "",
      workloads[w], name, units[workloads[w], name], errors[workloads[w], name] > json
    printf "\"peak_kib\":%d,\"base_kib\":%d,\"rate\":%s,\"p50_us\":%s,\"p99_us\":%s,\"cpu_us\":%s}",
      peak[kind(workloads[w]), name], base[kind(workloads[w]), name],
      all_rounds(workloads[w], name, 6),
      all_rounds(workloads[w], name, 7), all_rounds(workloads[w], name, 8),
      all_rounds(workloads[w], name, 9) > json
  }
  printf "],\n\"ratios\":[" > json
  first = 0
  for (w = 1; w <= workload_count; ++w) for (i = 1; i <= 2; ++i) {
    name = i == 1 ? "haproxy" : "nginx"
    if (!ratio(workloads[w], name, 6)) continue
    printf "%s\n{\"workload\":\"%s\",\"to\":\"%s\",\"rate\":%.3f,\"p50\":%.3f,\"p99\":%.3f,\"cpu\":%.3f}",
      first++ ? "," : "", workloads[w], name, ratio(workloads[w], name, 6),
      ratio(workloads[w], name, 7), ratio(workloads[w], name, 8), ratio(workloads[w], name, 9) > json
  }
  printf "]}\n" > json
}
