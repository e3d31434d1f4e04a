import {
  type ChangeEvent,
  type KeyboardEvent,
  type ReactNode,
  useDeferredValue,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
} from 'react'
import { type Parts, readRange } from '../api/queries.ts'
import { formatCount, visible } from '../format/format.ts'
import { Button, Choices, Failure, Spoken } from '../parts/controls.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Scroller } from '../parts/scroller.tsx'
import styles from './content.module.css'
import { type Bytes, continued, messagesIn, plainText, splitBytes, valueIn } from './messages.ts'
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
      {isWhole ? <WholePart title={title} part={part} /> : <LongPart title={title} part={part} ids={ids} />}
    </section>
  )
}

/** Where filters find what did not fit the schema. */
const Parked = ({ part: { part, is_unsupported } }: Pick<PartViewProps, 'part'>): ReactNode =>
  (is_unsupported || part === 'unsupported') && (
    <span className={styles.parked} title="It did not fit the schema, and is kept here as it was sent.">
      ag.unsupported{is_unsupported && `.data.${part}`}
    </span>
  )

function WholePart({ title, part }: Omit<PartViewProps, 'ids'>): ReactNode {
  const { text } = part
  const value = useMemo(() => valueIn(text), [text])
  const messages = useMemo(() => messagesIn(value), [value])
  const plain = plainText(value)
  const asText = plain ?? JSON.stringify(value, null, 2)
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
        <Parked part={part} />
        <CopyButton look="plain" className={styles.copy} text={asText}>
          Copy<Spoken> {title}</Spoken>
        </CopyButton>
        <Choices label={`Form of ${title}`} value={form} choices={forms} onChange={setForm} />
      </header>
      <div className={styles.value}>
        {form === 'chat' &&
          messages?.map((message, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the messages never change
            <MessageView key={index} message={message} />
          ))}
        {form === 'text' && <TextView text={asText} />}
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
  const [ranges, setRanges] = useState<readonly PartRange[]>([part])
  // Ranges are cut as they come, once each.
  const [pieces, setPieces] = useState(() => withText([], part.text))
  const [error, setError] = useState<Error>()
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
    setPieces(before => parts.reduce((all, { text }) => withText(all, text), before))
    setIsReading(false)
  }
  const search = useFind(pieces)
  const isSearching = search.find !== '' && next !== undefined && error === undefined
  const readAll = useEffectEvent(readOn)
  // What is searched for may be in a range that has not been read: read on until the end.
  useEffect(() => {
    if (isSearching && !isReading) void readAll()
  }, [isSearching, isReading])
  const read = ranges.reduce((sum, { offset, text }) => Math.max(sum, offset + text.length), 0)
  return (
    <>
      <header>
        <h3>{title}</h3>
        <Parked part={part} />
        <span className={styles.size}>
          {formatCount(Math.min(read, part.characters))} of {formatCount(part.characters)} characters
        </span>
        <input
          type="search"
          aria-label={`Find in ${title}`}
          title="Enter: next, Shift+Enter: previous"
          placeholder="Find"
          {...search.input}
        />
        {search.find !== '' && (
          <output className={styles.size}>
            {search.total > 0 && `${formatCount(search.at + 1)} of `}
            {formatCount(search.total)} found
            {isSearching && ' so far'}
          </output>
        )}
      </header>
      <Scroller ref={search.scroller} className={styles.long} label={title}>
        {pieces.map((piece, index) =>
          typeof piece === 'string' ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: the pieces never move
            <div key={index} className={styles.piece}>
              <Marked text={piece} find={search.find} current={index === search.piece ? search.inPiece : undefined} />
            </div>
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: the pieces never move
            <Chip key={index} {...piece} />
          ),
        )}
      </Scroller>
      {error && <Failure what="The next part cannot be read." error={error} />}
      {next !== undefined && <Button onClick={readOn}>Show more</Button>}
    </>
  )
}

/** Lines are drawn only where they are seen, so a text is cut into pieces of this length. */
const PIECE = 20_000
const FOUND_MAX = 100
/** Shorter words are everywhere. */
const FIND_MIN = 2

/** Finds a text in pieces, of which there may be more later, and shows one place after the other. */
function useFind(pieces: readonly (string | Bytes)[]) {
  const [typed, setTyped] = useState('')
  const [place, setPlace] = useState(0)
  const scroller = useRef<HTMLDivElement>(null)
  // Typing stays fast while long texts are searched.
  const deferred = useDeferredValue(typed)
  const find = deferred.length >= FIND_MIN ? deferred : ''
  const counts = useMemo(
    () => pieces.map(piece => (find === '' || typeof piece !== 'string' ? 0 : placesOf(piece, find).length)),
    [pieces, find],
  )
  const total = counts.reduce((sum, count) => sum + count, 0)
  const at = Math.min(place, Math.max(0, total - 1))
  let [piece, inPiece] = [0, at]
  while (inPiece >= (counts[piece] ?? Number.POSITIVE_INFINITY)) inPiece -= counts[piece++] as number
  const isFound = total > 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another place scrolls
  useEffect(() => {
    if (isFound) scroller.current?.querySelector('mark[aria-current]')?.scrollIntoView({ block: 'center' })
  }, [find, at, isFound])
  const input = {
    value: typed,
    onChange: ({ target }: ChangeEvent<HTMLInputElement>) => {
      setTyped(target.value)
      setPlace(0)
    },
    onKeyDown: ({ key, shiftKey }: KeyboardEvent) => {
      if (key === 'Enter' && isFound) setPlace((at + (shiftKey ? total - 1 : 1)) % total)
    },
  }
  return { find, total, at, piece, inPiece, scroller, input }
}

/** Where a text stands in another one, in whatever case. */
function placesOf(text: string, find: string): number[] {
  const [lower, wanted] = [text.toLowerCase(), find.toLowerCase()]
  const places: number[] = []
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, at + wanted.length)) places.push(at)
  return places
}

/** The pieces of a text with those of what follows it, which may begin amid bytes or a word. */
function withText(pieces: readonly (string | Bytes)[], text: string): (string | Bytes)[] {
  const last = pieces.at(-1)
  const before = pieces.slice(0, -1)
  if (typeof last === 'string') return [...before, ...piecesOf(splitBytes(text), last)]
  if (!last?.isOpen) return [...pieces, ...piecesOf(splitBytes(text))]
  const [bytes, rest] = continued(last, text)
  return [...before, bytes, ...piecesOf(splitBytes(rest))]
}

/** `before` is a text that the first piece follows. */
function piecesOf(parts: readonly (string | Bytes)[], before = ''): (string | Bytes)[] {
  const shown = parts.map(part =>
    typeof part === 'string' ? visible(part).replaceAll('\\n', '\n').replaceAll('\\"', '"') : part,
  )
  const [first = '', ...others] = shown
  const joined = typeof first === 'string' ? [before + first, ...others] : [before, ...shown]
  return joined.flatMap((part): (string | Bytes)[] => (typeof part === 'string' ? cut(part) : [part]))
}

/** Cuts between words, which would not be found otherwise. */
function cut(text: string): string[] {
  const pieces: string[] = []
  let from = 0
  while (text.length - from > PIECE) {
    const end = from + PIECE
    const space = Math.max(text.lastIndexOf(' ', end), text.lastIndexOf('\n', end)) + 1
    pieces.push(text.slice(from, space > from ? space : end))
    from += pieces.at(-1)?.length ?? 0
  }
  return from < text.length ? [...pieces, text.slice(from)] : pieces
}

/** A text in which what is found is marked: the first places, and the current one. */
function Marked({ text, find, current }: { text: string; find: string; current: number | undefined }): ReactNode {
  if (find === '') return text
  const pieces: ReactNode[] = []
  let from = 0
  for (const [index, at] of placesOf(text, find).entries()) {
    if (index >= FOUND_MAX && index !== current) continue
    pieces.push(
      text.slice(from, at),
      <mark key={at} aria-current={index === current || undefined}>
        {text.slice(at, at + find.length)}
      </mark>,
    )
    from = at + find.length
  }
  return [...pieces, text.slice(from)]
}
