import type {
  LanguageModelV4,
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
} from '@ai-sdk/provider'
import type { OutboundFetch } from '@spanhouse/outbound'
import { ModelError } from './model-error.ts'

/**
 * Replaces the addresses of files by the files, where the provider does not fetch such addresses itself. Downloads go through
 * the same checks and limits as calls. Throws ModelError when an address does not give its file.
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
  const resolve = async (part: LanguageModelV4FilePart): Promise<LanguageModelV4FilePart> => {
    if (part.data.type !== 'url' || isSupported(part.mediaType, part.data.url)) return part
    const answer = await download(part.data.url)
    if (!answer.ok) throw noFile(part.data.url, answer.status)
    const type = answer.headers.get('content-type')?.split(';')[0]
    const data = new Uint8Array(await answer.arrayBuffer())
    return { ...part, mediaType: type || part.mediaType, data: { type: 'data', data } }
  }
  const convert = async (message: LanguageModelV4Message): Promise<LanguageModelV4Message> => {
    if (message.role !== 'user') return message
    const content = message.content.map(part => (part.type === 'file' ? resolve(part) : part))
    return { ...message, content: await Promise.all(content) }
  }
  return await Promise.all(prompt.map(convert))
}

/** `*`, `image/*` and `image/png` cover `image/png`; an image of unknown type is covered by what covers any image. */
const covers = (type: string, mediaType: string): boolean =>
  type === '*' ||
  type === '*/*' ||
  type === mediaType ||
  (type.endsWith('/*') && mediaType.startsWith(type.slice(0, -1)))

const noFile = (url: URL, status: number): ModelError =>
  new ModelError(`${url.origin} answers HTTP ${status} instead of the file`, { category: 'other', status: 400 })
