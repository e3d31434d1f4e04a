import Negotiator from 'negotiator'

/** The forms an answer can have; `vercel` is the message stream that user interfaces read, which is SSE as well. */
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
  /** Whether the handler has anything to show before its result. */
  isStreaming: boolean
}

export interface Negotiated {
  form: AnswerForm
  mediaType: MediaType
  /** Whether events come before the result. */
  isStreamed: boolean
}

/** Nothing that can be answered is acceptable. */
export interface Refused {
  requested: string
  supported: string[]
}

/**
 * The form of the answer, decided before anything runs (section 8.6 of the contract of the runtime, RFC 9110, 12.5.1): what the
 * caller prefers of what there can be. A caller who accepts none of our media types by name gets the usual one, unless it has
 * ruled out all of them with `q=0`. Who asks for a stream in the body and accepts only JSON contradicts itself.
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
  new Negotiator({ headers: { accept } }).mediaType(offered) as MediaType | undefined

/** For an `Accept` that names nothing of ours. */
function usual(accept: string, offered: MediaType[]): MediaType | undefined {
  const saysNothing = preferred(accept, BATCH) === undefined && !accept.includes('*/*')
  return saysNothing ? preferred(`${accept}, */*`, offered) : undefined
}
