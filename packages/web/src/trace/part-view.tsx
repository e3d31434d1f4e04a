import { type ReactNode, useDeferredValue, useEffect, useEffectEvent, useMemo, useState } from 'react'
import { type Parts, readRange } from '../api/queries.ts'
import { formatCount, visible } from '../format/format.ts'
import { Button, Choices, Failure } from '../parts/controls.tsx'
import { Scroller } from '../parts/scroller.tsx'
import styles from './content.module.css'
import { type Bytes, messagesIn, plainText, splitBytes, valueIn } from './messages.ts'
import { Chip, JsonView, MessageView, TextView } from './value-view.tsx'

export type PartRange = Parts['parts'][number]

type Form = 'chat' | 'text' | 'json'

interface PartViewProps {
  title: string
  part: PartRange
  ids: { trace_id: string; span_id: string }
}

/** An input, an output or another part of a span: as a chat, as text or as JSON; a long one as text, in ranges. */
export function PartView({ title, part, ids }: PartViewProps): ReactNode {
  const isWhole = part.next === undefined
  return (
    <section className={styles.part}>
      {isWhole ? <WholePart title={title} text={part.text} /> : <LongPart title={title} part={part} ids={ids} />}
    </section>
  )
}

function WholePart({ title, text }: { title: string; text: string }): ReactNode {
  const value = useMemo(() => valueIn(text), [text])
  const messages = useMemo(() => messagesIn(value), [value])
  const plain = plainText(value)
  const [form, setForm] = useState<Form>(messages ? 'chat' : plain !== undefined ? 'text' : 'json')
  const forms = [
    ...(messages ? ([['chat', 'Chat']] as const) : []),
    ['text', 'Text'] as const,
    ['json', 'JSON'] as const,
  ]
  return (
    <>
      <header>
        <h3>{title}</h3>
        <Choices label={`Form of ${title}`} value={form} choices={forms} onChange={setForm} />
      </header>
      <div className={styles.value}>
        {form === 'chat' &&
          messages?.map((message, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the messages never change
            <MessageView key={index} message={message} />
          ))}
        {form === 'text' && <TextView text={plain ?? JSON.stringify(value, null, 2)} />}
        {form === 'json' && (
          <div className={styles.json}>
            <JsonView value={value} />
          </div>
        )}
      </div>
    </>
  )
}

/** A text that is longer than one range: what has been read of it, and a way to read on. */
function LongPart({ title, part, ids }: PartViewProps): ReactNode {
  const [ranges, setRanges] = useState<PartRange[]>([part])
  const [error, setError] = useState<Error>()
  const [typed, setTyped] = useState('')
  // Typing stays fast while long texts are searched.
  const find = useDeferredValue(typed)
  const [isReading, setIsReading] = useState(false)
  const next = ranges.at(-1)?.next
  const readOn = async (): Promise<void> => {
    if (next === undefined || isReading) return
    setError(undefined)
    setIsReading(true)
    const { parts } = await readRange(ids, part.part, next).catch((failure: Error) => {
      setError(failure)
      return { parts: [] }
    })
    setRanges(before => [...before, ...parts])
    setIsReading(false)
  }
  const isSearching = find.length >= FIND_MIN && next !== undefined && error === undefined
  const search = useEffectEvent(readOn)
  // What is searched for may be in a range that has not been read: read on until the end.
  useEffect(() => {
    if (isSearching && !isReading) void search()
  }, [isSearching, isReading])
  const read = ranges.reduce((sum, { offset, text }) => Math.max(sum, offset + text.length), 0)
  return (
    <>
      <header>
        <h3>{title}</h3>
        <span className={styles.size}>
          {formatCount(Math.min(read, part.characters))} of {formatCount(part.characters)} characters
        </span>
        <input
          type="search"
          aria-label={`Find in ${title}`}
          placeholder="Find"
          value={typed}
          onChange={event => setTyped(event.target.value)}
        />
        {find.length >= FIND_MIN && (
          <output className={styles.size}>
            {formatCount(ranges.reduce((sum, { text }) => sum + countOf(text, find), 0))} found
            {isSearching && ' so far'}
          </output>
        )}
      </header>
      <Scroller className={styles.long} label={title}>
        {ranges.map(({ offset, text }) => (
          <LongText key={offset} text={text} find={find} />
        ))}
      </Scroller>
      {error && <Failure what="The next part cannot be read." error={error} />}
      {next !== undefined && <Button onClick={readOn}>Show more</Button>}
    </>
  )
}

/** Lines are drawn only where they are seen, so a text is cut into pieces of this length. */
const PIECE = 20_000
const FOUND_MAX = 200
/** Shorter words are everywhere. */
const FIND_MIN = 2

function countOf(text: string, find: string): number {
  const [lower, wanted] = [text.toLowerCase(), find.toLowerCase()]
  let count = 0
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, at + wanted.length)) count++
  return count
}

function LongText({ text, find }: { text: string; find: string }): ReactNode {
  const pieces = useMemo(
    () => splitBytes(text).flatMap((part): (string | Bytes)[] => (typeof part === 'string' ? cut(part) : [part])),
    [text],
  )
  return pieces.map((piece, index) =>
    typeof piece === 'string' ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces never change
      <div key={index} className={styles.piece}>
        <Marked text={piece} find={find} />
      </div>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces never change
      <Chip key={index} {...piece} />
    ),
  )
}

function cut(text: string): string[] {
  const shown = visible(text).replaceAll('\\n', '\n').replaceAll('\\"', '"')
  return Array.from({ length: Math.ceil(shown.length / PIECE) }, (_, index) =>
    shown.slice(index * PIECE, (index + 1) * PIECE),
  )
}

function Marked({ text, find }: { text: string; find: string }): ReactNode {
  if (find.length < FIND_MIN) return text
  const pieces: ReactNode[] = []
  const [lower, wanted] = [text.toLowerCase(), find.toLowerCase()]
  let from = 0
  for (let at = lower.indexOf(wanted); at >= 0 && pieces.length < FOUND_MAX; at = lower.indexOf(wanted, from)) {
    pieces.push(text.slice(from, at), <mark key={at}>{text.slice(at, at + find.length)}</mark>)
    from = at + find.length
  }
  return [...pieces, text.slice(from)]
}
