import type {
  LanguageModelV4,
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
} from '@ai-sdk/provider'
import { OutboundError, type OutboundFetch } from '@spanhouse/outbound'
import { ModelError } from './model-error.ts'

type Part = (LanguageModelV4Message & { role: 'user' })['content'][number]

/** Of all files of one call together; providers accept less. */
const FILES_BYTES_MAX = 64 * 1024 * 1024
/** Files of one call that are downloaded at the same time: a prompt can name thousands. */
const AT_ONCE_MAX = 4

/**
 * Replaces the addresses of files by the files if the provider does not fetch such addresses itself. Downloads have the
 * same checks and limits as calls. Throws ModelError if a file cannot be downloaded, or if all are too large together.
 */
export async function withDownloads(
  prompt: LanguageModelV4Prompt,
  model: LanguageModelV4,
  download: (url: URL) => ReturnType<OutboundFetch>,
): Promise<LanguageModelV4Prompt> {
  const supported = await model.supportedUrls
  const isSupported = (mediaType: string, url: URL): boolean =>
    Object.entries(supported).some(
      ([type, patterns]) => covers(type, mediaType) && patterns.some(pattern => pattern.test(url.href)),
    )
  const isWanted = (part: Part): part is LanguageModelV4FilePart & { data: { type: 'url' } } =>
    part.type === 'file' && part.data.type === 'url' && !isSupported(part.mediaType, part.data.url)
  const wanted = prompt.flatMap(message => (message.role === 'user' ? message.content.filter(isWanted) : []))
  const loaded = new Map<Part, Part>()
  let bytes = 0
  const load = async (part: (typeof wanted)[number]): Promise<void> => {
    const { url } = part.data
    const answer = await download(url).catch(error => Promise.reject(notFetched(url, error)))
    if (!answer.ok) {
      await answer.body?.cancel()
      throw noFile(url, answer.status)
    }
    const type = answer.headers.get('content-type')?.split(';')[0]
    const body = await answer.arrayBuffer().catch(error => Promise.reject(notFetched(url, error)))
    const data = new Uint8Array(body)
    bytes += data.length
    if (bytes > FILES_BYTES_MAX) throw tooLarge()
    loaded.set(part, { ...part, mediaType: type || part.mediaType, data: { type: 'data', data } })
  }
  for (let at = 0; at < wanted.length; at += AT_ONCE_MAX)
    await Promise.all(wanted.slice(at, at + AT_ONCE_MAX).map(load))
  return prompt.map(message =>
    message.role === 'user' ? { ...message, content: message.content.map(part => loaded.get(part) ?? part) } : message,
  )
}

/**
 * `*`, `image/*` and `image/png` match `image/png`; an image of unknown type is matched by anything that matches all
 * images.
 */
const covers = (type: string, mediaType: string): boolean =>
  type === '*' ||
  type === '*/*' ||
  type === mediaType ||
  (type.endsWith('/*') && mediaType.startsWith(type.slice(0, -1)))

const noFile = (url: URL, status: number): ModelError =>
  new ModelError(`${url.origin} responded with HTTP ${status} instead of the file`, { category: 'other', status: 400 })

/** The caller chose the address: the model's provider is not to blame for it. */
const notFetched = (url: URL, error: unknown): unknown =>
  error instanceof OutboundError
    ? new ModelError(`The file at ${shownOf(url)} cannot be fetched: ${error.message}`, {
        category: 'other',
        status: 400,
      })
    : error

/** Without what may be secret. */
const shownOf = ({ origin, protocol }: URL): string => (origin === 'null' ? protocol : origin)

const tooLarge = (): ModelError =>
  new ModelError(`The files of the messages are larger than ${FILES_BYTES_MAX} bytes together`, {
    category: 'other',
    status: 400,
  })
