#!/usr/bin/env bash
# Evaluates 1,000 testcases from outside with curl and jq: the results of an application and an evaluator that ran
# elsewhere are sent to Spanhouse, which computes the metrics.
#
#   SPANHOUSE_URL=http://127.0.0.1:4600 SPANHOUSE_API_KEY=… bash evaluate-from-outside.sh
set -euo pipefail

api="${SPANHOUSE_URL:-http://127.0.0.1:4600}/api"
testcases=1000
suffix=$(od -An -N4 -tx4 /dev/urandom | tr -d ' ')

# call METHOD PATH: sends standard input as JSON.
call() {
  curl --silent --show-error --fail-with-body -X "$1" "$api$2" \
    -H "Authorization: ApiKey $SPANHOUSE_API_KEY" -H 'Content-Type: application/json' --data-binary @-
}

# What is evaluated with what: a testset, an application and an evaluator, by the ids of their revisions.
testset=$(jq -n --arg slug "numbers-$suffix" --argjson count $testcases \
  '{testset: {slug: $slug, data: {testcases: [range($count) | {data: {n: ., correct_answer: (. * 2)}}]}}}' |
  call POST /simple/testsets | jq -r .testset.revision_id)
application=$(jq -n --arg slug "double-$suffix" \
  '{application: {slug: $slug, data: {uri: "agenta:custom:hook:v0", url: "https://localhost/double"}}}' |
  call POST /simple/applications | jq -r .application.revision_id)
evaluator=$(jq -n --arg slug "judge-$suffix" \
  '{evaluator: {slug: $slug, data: {uri: "agenta:custom:hook:v0", url: "https://localhost/judge",
    schemas: {outputs: {type: "object", properties: {success: {type: "boolean"}}}}}}}' |
  call POST /simple/evaluators | jq -r .evaluator.revision_id)

# A run that Spanhouse does not execute, with a scenario for each testcase, in their order.
run=$(jq -n --arg t "$testset" --arg a "$application" --arg e "$evaluator" \
  '{evaluation: {name: "doubles", data: {status: "running", testset_steps: [$t], application_steps: [$a], evaluator_steps: [$e]}}}' |
  call POST /simple/evaluations | jq -r .evaluation.id)
steps=$(curl --silent --fail "$api/evaluations/runs/$run" -H "Authorization: ApiKey $SPANHOUSE_API_KEY" |
  jq '.run.data.steps | map({(.type): .key}) | add')
scenarios=$(jq -n --argjson count $testcases '{$count}' |
  call POST "/simple/evaluations/$run/scenarios/add" | jq '[.scenarios[].id]')
ids=$(jq -n --arg id "$testset" '{testset_revision_ref: {$id}}' |
  call POST /testsets/revisions/retrieve | jq '[.testset_revision.data.testcases[].id]')

# Two traces a testcase, one of the application and one of the evaluator, which is linked to it.
random=$(od -An -v -N $((testcases * 32)) -tx1 -w16 /dev/urandom | tr -d ' ' | jq -R . | jq -s .)
cases=$(jq -n --argjson scenarios "$scenarios" --argjson ids "$ids" --argjson random "$random" \
  '[range($ids | length) | {n: ., scenario: $scenarios[.], testcase: $ids[.], trace: $random[2 * .],
    judged: $random[2 * . + 1], success: (. % 10 != 0 or . == 0)}]')
printf %s "$cases" | jq --arg now "$(date +%s)" '
  def span($id; $name): {traceId: $id, spanId: $id[:16], $name, kind: 1,
    startTimeUnixNano: "\($now)000000000", endTimeUnixNano: "\($now)001000000"};
  {resourceSpans: [{scopeSpans: [{spans: map(
    (span(.trace; "double") + {attributes: [{key: "ag.data.inputs.n", value: {doubleValue: .n}}]}),
    (span(.judged; "judge") + {links: [{traceId: .trace, spanId: .trace[:16]}], attributes: [
      {key: "ag.type.trace", value: {stringValue: "annotation"}},
      {key: "ag.data.outputs.success", value: {boolValue: .success}}]}))}]}]}' |
  call POST /otlp/v1/traces >/dev/null

# The cells of all scenarios in one request, and the scenarios themselves.
printf %s "$cases" | jq --arg run "$run" --argjson steps "$steps" '
  {results: map({run_id: $run, scenario_id: .scenario, testcase_id: .testcase, status: "success"} as $cell |
    ($cell + {step_key: $steps.input}),
    ($cell + {step_key: $steps.invocation, trace_id: .trace}),
    ($cell + {step_key: $steps.annotation, trace_id: .judged}))}' |
  call POST "/simple/evaluations/$run/populate" >/dev/null
printf %s "$cases" | jq '{scenarios: map({id: .scenario, status: "success"})}' |
  call PATCH /evaluations/scenarios >/dev/null

# The metrics count the traces that are stored; the last ones may take a second.
for attempt in $(seq 60); do
  success=$(jq -n --arg run "$run" '{metrics: {run_id: $run}}' | call POST /evaluations/metrics/refresh |
    jq --argjson steps "$steps" '.metrics[0].data[$steps.annotation]["attributes.ag.data.outputs.success"] // {}')
  [ "$(jq '.count // 0' <<<"$success")" -eq $testcases ] && break
  sleep 1
done
call POST "/evaluations/runs/$run/close?status=success" </dev/null >/dev/null
jq -nc --arg run_id "$run" --argjson testcases $testcases --argjson success "$success" \
  '{$run_id, $testcases, success: ($success.freq[] | select(.value).count)}'
