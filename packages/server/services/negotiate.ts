import Negotiator from 'negotiator'

/** The forms of a response; `vercel` is the UI message stream, which is also SSE. */
export type AnswerForm = 'json' | 'ndjson' | 'sse' | 'vercel'

const MEDIA_TYPES = {
  'application/json': 'json',
  'application/x-ndjson': 'ndjson',
  'application/jsonl': 'ndjson',
  'text/event-stream': 'sse',
} as const satisfies Record<string, AnswerForm>
type MediaType = keyof typeof MEDIA_TYPES

const BATCH: MediaType[] = ['application/json', 'application/x-ndjson', 'application/jsonl', 'text/event-stream']
const STREAM: MediaType[] = ['application/x-ndjson', 'application/jsonl', 'text/event-stream']

export interface Wanted {
  accept: string | undefined
  /** `x-ag-messages-format`. */
  messagesFormat?: string | undefined
  /** `flags.stream` of the body. */
  stream: boolean | undefined
  /** Whether the handler emits events before its result. */
  isStreaming: boolean
}

export interface Negotiated {
  form: AnswerForm
  mediaType: MediaType
  /** Whether events are sent before the result. */
  isStreamed: boolean
}

/** No available media type is acceptable. */
export interface Refused {
  requested: string
  supported: string[]
}

/**
 * Selects the form of the response before anything runs (contract of the runtime, section 8.6; RFC 9110, 12.5.1): the
 * available one that the caller prefers. A caller that names none of our media types gets the default, unless `q=0`
 * rules it out. A body that asks for a stream and an `Accept` of JSON alone contradict each other.
 */
export function negotiate({ accept = '*/*', messagesFormat, stream, isStreaming }: Wanted): Negotiated | Refused {
  const offered = stream && isStreaming ? STREAM : BATCH
  const mediaType = preferred(accept, offered) ?? usual(accept, offered)
  if (mediaType === undefined) return { requested: accept, supported: offered }
  const form = MEDIA_TYPES[mediaType]
  return {
    form: form === 'sse' && messagesFormat === 'vercel' ? 'vercel' : form,
    mediaType,
    isStreamed: form !== 'json' && isStreaming && stream !== false,
  }
}

const preferred = (accept: string, offered: MediaType[]): MediaType | undefined =>
  accept === '*/*' ? offered[0] : (new Negotiator({ headers: { accept } }).mediaType(offered) as MediaType | undefined)

/** The default if `Accept` names none of our media types. */
function usual(accept: string, offered: MediaType[]): MediaType | undefined {
  const saysNothing = preferred(accept, BATCH) === undefined && !accept.includes('*/*')
  return saysNothing ? preferred(`${accept}, */*`, offered) : undefined
}
