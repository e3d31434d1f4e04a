import type { Handler } from './handler.ts'
import { agent } from './handlers/agent.ts'
import { autoAiCritique } from './handlers/auto_ai_critique.ts'
import { autoContains } from './handlers/auto_contains.ts'
import { autoContainsAll } from './handlers/auto_contains_all.ts'
import { autoContainsAny } from './handlers/auto_contains_any.ts'
import { autoContainsJson } from './handlers/auto_contains_json.ts'
import { autoCustomCodeRun } from './handlers/auto_custom_code_run.ts'
import { autoEndsWith } from './handlers/auto_ends_with.ts'
import { autoExactMatch } from './handlers/auto_exact_match.ts'
import { autoJsonDiff } from './handlers/auto_json_diff.ts'
import { autoLevenshteinDistance } from './handlers/auto_levenshtein_distance.ts'
import { autoRegexTest } from './handlers/auto_regex_test.ts'
import { autoSemanticSimilarity } from './handlers/auto_semantic_similarity.ts'
import { autoSimilarityMatch } from './handlers/auto_similarity_match.ts'
import { autoStartsWith } from './handlers/auto_starts_with.ts'
import { autoWebhookTest } from './handlers/auto_webhook_test.ts'
import { chat } from './handlers/chat.ts'
import { code } from './handlers/code.ts'
import { completion } from './handlers/completion.ts'
import { echo } from './handlers/echo.ts'
import { feedback } from './handlers/feedback.ts'
import { fieldMatchTest } from './handlers/field_match_test.ts'
import { hook } from './handlers/hook.ts'
import { jsonMultiFieldMatch } from './handlers/json_multi_field_match.ts'
import { llm } from './handlers/llm.ts'
import { match } from './handlers/match.ts'
import { mock } from './handlers/mock.ts'
import { human, prompt, skill } from './handlers/reserved.ts'
import { type HandlerUri, isManaged, type RuntimeSettings } from './uri.ts'

/** Every built-in handler, in the order of the catalogue. A new one is a file and a row here. */
export const HANDLERS: readonly Handler[] = [
  feedback,
  hook,
  code,
  mock,
  match,
  llm,
  chat,
  completion,
  agent,
  echo,
  autoExactMatch,
  autoRegexTest,
  fieldMatchTest,
  jsonMultiFieldMatch,
  autoWebhookTest,
  autoCustomCodeRun,
  autoAiCritique,
  autoStartsWith,
  autoEndsWith,
  autoContains,
  autoContainsAny,
  autoContainsAll,
  autoContainsJson,
  autoJsonDiff,
  autoLevenshteinDistance,
  autoSimilarityMatch,
  autoSemanticSimilarity,
  skill,
  prompt,
  human,
]

const BY_NAME = new Map(HANDLERS.map(handler => [`${handler.kind}:${handler.key}`, handler]))

/** The built-in handler that the URI names; undefined when it is somebody else's, or nobody's. */
export const handlerOf = (uri: HandlerUri, settings: RuntimeSettings): Handler | undefined =>
  isManaged(uri, settings) ? BY_NAME.get(`${uri.kind}:${uri.key}`) : undefined
