import type { Handler } from './handler.ts'
import { agent } from './handlers/application/agent.ts'
import { chat } from './handlers/application/chat.ts'
import { completion } from './handlers/application/completion.ts'
import { llm } from './handlers/application/llm.ts'
import { autoCustomCodeRun } from './handlers/custom/auto_custom_code_run.ts'
import { autoWebhookTest } from './handlers/custom/auto_webhook_test.ts'
import { code } from './handlers/custom/code.ts'
import { feedback } from './handlers/custom/feedback.ts'
import { hook } from './handlers/custom/hook.ts'
import { mock } from './handlers/custom/mock.ts'
import { autoContainsJson } from './handlers/document/auto_contains_json.ts'
import { autoJsonDiff } from './handlers/document/auto_json_diff.ts'
import { fieldMatchTest } from './handlers/document/field_match_test.ts'
import { jsonMultiFieldMatch } from './handlers/document/json_multi_field_match.ts'
import { match } from './handlers/document/match.ts'
import { echo } from './handlers/echo.ts'
import { autoAiCritique } from './handlers/model/auto_ai_critique.ts'
import { autoSemanticSimilarity } from './handlers/model/auto_semantic_similarity.ts'
import { human, prompt, skill } from './handlers/reserved.ts'
import { autoContains } from './handlers/text/auto_contains.ts'
import { autoContainsAll } from './handlers/text/auto_contains_all.ts'
import { autoContainsAny } from './handlers/text/auto_contains_any.ts'
import { autoEndsWith } from './handlers/text/auto_ends_with.ts'
import { autoExactMatch } from './handlers/text/auto_exact_match.ts'
import { autoLevenshteinDistance } from './handlers/text/auto_levenshtein_distance.ts'
import { autoRegexTest } from './handlers/text/auto_regex_test.ts'
import { autoSimilarityMatch } from './handlers/text/auto_similarity_match.ts'
import { autoStartsWith } from './handlers/text/auto_starts_with.ts'
import { type HandlerUri, isManaged, type RuntimeSettings } from './uri.ts'

/** Every built-in handler, in the order of the catalogue. To add one, add a file and a row here. */
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

/** The built-in handler that the URI names; undefined for other providers and unknown keys. */
export const handlerOf = (uri: HandlerUri, settings: RuntimeSettings): Handler | undefined =>
  isManaged(uri, settings) ? BY_NAME.get(`${uri.kind}:${uri.key}`) : undefined
