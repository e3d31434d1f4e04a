import { isJsonObject, type JsonObject, renderText } from '@spanhouse/model'
import { STATIC_SLUG_PREFIX } from '@spanhouse/runtime'
import { commitRefused } from '../problems.ts'
import type { Embed } from './embed.ts'
import { EmbedFailure } from './failure.ts'
import { plant } from './places.ts'

/**
 * Rejects data that embeds one of the built-in workflows: these can be referenced, not embedded. Other references are
 * looked up when an embed is resolved, not when it is stored.
 */
export async function refuseReservedEmbeds(data: JsonObject): Promise<void> {
  if (!(await mentions(data, STATIC_SLUG_PREFIX))) return
  const slug = embedsOf(data).flatMap(slugsOf).find(isReserved)
  if (slug !== undefined)
    throw commitRefused('invalid', 'non_embeddable_reference', `${slug} is a built-in workflow and cannot be embedded.`)
}

/** Whether a text without escapes occurs anywhere in the JSON. Large data is searched in turns. */
async function mentions(data: JsonObject, text: string): Promise<boolean> {
  let end = ''
  for await (const piece of renderText(data)) {
    if ((end + piece.slice(0, text.length)).includes(text) || piece.includes(text)) return true
    end = piece.slice(-text.length)
  }
  return false
}

function embedsOf(data: JsonObject): Embed[] {
  const { objects, texts } = plant(data, { holder: {}, at: 'data', depth: 0 }, { left: Number.POSITIVE_INFINITY })
  const tokens = texts.flatMap(({ pieces }) => pieces.filter(piece => typeof piece !== 'string'))
  return [...objects, ...tokens].flatMap(({ embed }) => (embed instanceof EmbedFailure ? [] : [embed]))
}

const slugsOf = ({ written }: Embed): string[] =>
  Object.values(written).flatMap(one => (isJsonObject(one) && typeof one.slug === 'string' ? [one.slug] : []))

const isReserved = (slug: string): boolean => slug.startsWith(STATIC_SLUG_PREFIX)
