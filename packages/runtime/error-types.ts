/** What a person needs to know about an error type. Sentences in plain text. */
interface Explanation {
  /** The HTTP status of such a failure, or where it comes from. */
  status: string
  meaning: string
  remedy: string
}

/**
 * Every type that a failed run can have: `status.type` ends with `#` and one of these keys (contract of the runtime,
 * section 14). The server's page `/docs/errors` is made of this table.
 */
export const ERROR_TYPES = {
  'v0:interface:invalid-uri': {
    status: '400',
    meaning: 'The request names no handler, one that this server does not have, or one that runs at another address.',
    remedy:
      'Send data.revision.data.uri with the URI of a handler from the catalogue, or references that lead to a revision; a handler of your own needs an address, data.url.',
  },
  'v0:schemas:missing-parameter': {
    status: '400',
    meaning: 'The revision lacks a parameter that its handler needs; status.details.path names it.',
    remedy: 'Set the parameter, commit a new revision, and run that one.',
  },
  'v0:schemas:invalid-parameter': {
    status: '400',
    meaning: 'A parameter has the wrong type or a value out of range, or it is an address that may not be called.',
    remedy: 'Compare status.details: path says where, expected what is allowed, and got what was sent.',
  },
  'v0:schemas:missing-input': {
    status: '400',
    meaning:
      'An input is missing: often the expected answer that an evaluator compares with, or the selector of an environment.',
    remedy: 'Add the input at status.details.path, for instance as a column of the testset.',
  },
  'v0:schemas:invalid-input': {
    status: '400',
    meaning: 'One input, or one member of the request, cannot be used as it is.',
    remedy: 'Correct the value; the message and status.details say which one and what it should be.',
  },
  'v0:schemas:invalid-inputs': {
    status: '400',
    meaning: 'The inputs as a whole do not fit: they are not an object, or lack keys that the prompt declares.',
    remedy: 'Send an object with the keys that the message names.',
  },
  'v0:schemas:invalid-outputs': {
    status: '400',
    meaning: 'The outputs have a form that cannot be evaluated or returned, or they are too large.',
    remedy: 'See the message: change what produces the outputs, or use an evaluator for their form.',
  },
  'v0:schemas:invalid-secrets': {
    status: '400',
    meaning: 'The project has no API key of a provider with which the model could be called. No provider was called.',
    remedy: 'Add the key of the provider under Settings, Secrets, or choose another model.',
  },
  'v0:schemas:unknown-connection': {
    status: '400',
    meaning: 'The configuration names a connection that no secret of the project has.',
    remedy: 'Correct the name of the connection, or add a secret with this name.',
  },
  'v0:schemas:connection-model-mismatch': {
    status: '400',
    meaning: 'The named connection belongs to another provider than the model.',
    remedy: "Choose a connection of the model's provider, or a model of the connection's.",
  },
  'v0:workflows:prompt-formatting-error': {
    status: '400',
    meaning:
      'The template of the prompt cannot be filled: it is malformed, names something that was not sent, or takes too long.',
    remedy: 'Correct the template at the place that the message names, or send what it asks for.',
  },
  'v0:workflows:regex-pattern-error': {
    status: '400',
    meaning: 'The regular expression is malformed, or takes too much time or memory.',
    remedy: 'Correct or simplify the expression.',
  },
  'v0:workflows:code-error': {
    status: '400',
    meaning:
      "The evaluator's own code failed, was stopped at one of its limits, or returned something that is not a result.",
    remedy: 'Correct the code; the message has its error and, if known, the line.',
  },
  'v0:workflows:feedback-error': {
    status: '400',
    meaning: 'The evaluator stands for feedback that people give, so it cannot be run.',
    remedy: 'Have the cases judged in a queue instead.',
  },
  'v0:workflows:force-not-supported': {
    status: '406',
    meaning: "The request has the flag 'force', which this handler does not support.",
    remedy: 'Leave the flag out.',
  },
  'v0:workflows:mock-error': {
    status: '500',
    meaning: 'A mock was asked to fail, and did.',
    remedy: 'None is needed: choose another mock if it should succeed.',
  },
  'v0:workflows:prompt-completion-error': {
    status: "the provider's; 424 instead of its 401 and 403; 500 if it did not respond",
    meaning: "The call of the model failed at its provider. The message is the provider's, if it gave one.",
    remedy:
      'For 424, replace the key of the provider under Settings, Secrets. For 429 and 5xx, try again later; Retry-After says when, if the provider did. For the rest, correct the configuration of the model.',
  },
  'v0:workflows:llm-unavailable': {
    status: '503',
    meaning: 'None of the models that may be tried in turn could be called; the message has the reason of each.',
    remedy: 'Try again later, or add a model of another provider.',
  },
  'v0:workflows:agent-not-implemented': {
    status: '501',
    meaning: 'The revision is an agent, and this server has no runner for agents.',
    remedy: 'Run the agent at your own address, and set that as url of the revision.',
  },
  'v0:workflows:custom-hook-client-error': {
    status: '500',
    meaning:
      'Your service could not be reached, did not respond in time, or responded with something that is not JSON.',
    remedy: 'Check that the address is right and reachable from this server, and what the service responds with.',
  },
  'v0:workflows:custom-hook-server-error': {
    status: "your service's; 500 if that is below 400",
    meaning: 'Your service responded with another status than 200.',
    remedy:
      'Look for the cause in the log of the service; its request has the trace of this run in the header traceparent.',
  },
  'v1:sdk:unknown-workflow-invoke-error': {
    status:
      "the reason's own: 404 for references that lead nowhere, 429 or 503 for too much work, 504 for a run that took too long, 500 for an error of the server, and others",
    meaning: 'The run failed for a reason that has no type of its own; the status and the message say more.',
    remedy:
      'Correct the request if the status is below 429; try again later if it is 429, 503 or 504. For 500 the reason is in the log of the server.',
  },
} as const satisfies Record<string, Explanation>

export type ErrorType = keyof typeof ERROR_TYPES
