import { type ReactNode, useState } from 'react'
import { isExactInteger } from '../api/exact-json.ts'
import { formatBytes, formatCount, visible } from '../format/format.ts'
import styles from './content.module.css'
import { type Bytes, bytesIn, type Message, type Piece } from './messages.ts'

/** Characters and members that are shown at first. */
const TEXT_MAX = 4_000
const MEMBERS_MAX = 100

/** A text as it is, without any markup; bytes as their size. `max`: characters that are shown at first. */
export function TextView({ text, max = TEXT_MAX }: { text: string; max?: number }): ReactNode {
  const [isWhole, setIsWhole] = useState(false)
  const bytes = bytesIn(text)
  if (bytes) return <Chip {...bytes} />
  return (
    <>
      <span className={styles.text} dir="auto">
        {visible(isWhole ? text : text.slice(0, max))}
      </span>
      {!isWhole && text.length > max && (
        <button type="button" className={styles.more} onClick={() => setIsWhole(true)}>
          … show all {formatCount(text.length)} characters
        </button>
      )}
    </>
  )
}

export const Chip = ({ type, bytes, isOpen }: Bytes): ReactNode => (
  <span className={styles.chip}>
    {type} {formatBytes(bytes)}
    {isOpen && ' so far'}
  </span>
)

/** A JSON value that opens and closes. */
export function JsonView({ value, depth = 0 }: { value: unknown; depth?: number }): ReactNode {
  if (typeof value === 'string')
    return (
      <span className={styles.string}>
        "<TextView text={value} />"
      </span>
    )
  if (typeof value !== 'object' || value === null || isExactInteger(value))
    return <span className={styles.literal}>{JSON.stringify(value) ?? String(value)}</span>
  return <Members value={value} depth={depth} />
}

const OPEN_DEPTH = 3

function Members({ value, depth }: { value: object; depth: number }): ReactNode {
  const isList = Array.isArray(value)
  const entries = Object.entries(value)
  const [isOpen, setIsOpen] = useState(depth < OPEN_DEPTH && entries.length <= MEMBERS_MAX)
  const [shown, setShown] = useState(MEMBERS_MAX)
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  if (entries.length === 0) return <span>{`${open}${close}`}</span>
  return (
    <span>
      <button type="button" className={styles.fold} aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        {isOpen ? '▾' : '▸'} {open}
        {!isOpen && ` ${formatCount(entries.length)} ${close}`}
      </button>
      {isOpen && (
        <>
          <ul className={styles.members}>
            {entries.slice(0, shown).map(([name, one]) => (
              <li key={name}>
                {!isList && <span className={styles.member}>{visible(name)}: </span>}
                <JsonView value={one} depth={depth + 1} />
              </li>
            ))}
            {entries.length > shown && (
              <li>
                <button type="button" className={styles.more} onClick={() => setShown(shown + 10 * MEMBERS_MAX)}>
                  … {formatCount(entries.length - shown)} more
                </button>
              </li>
            )}
          </ul>
          {close}
        </>
      )}
    </span>
  )
}

export const MessageView = ({ message }: { message: Message }): ReactNode => (
  <div className={styles.message} data-role={message.role}>
    <div className={styles.role}>{visible(message.role)}</div>
    {message.pieces.map((piece, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a message never change
      <PieceView key={index} piece={piece} />
    ))}
    {message.pieces.length === 0 && <span className={styles.empty}>(empty)</span>}
  </div>
)

function PieceView({ piece }: { piece: Piece }): ReactNode {
  switch (piece.kind) {
    case 'text':
      return (
        <div>
          <TextView text={piece.text} />
        </div>
      )
    case 'thought':
      return (
        <div>
          <span className={styles.chip}>thinks</span> <TextView text={piece.text} />
        </div>
      )
    case 'call':
      return (
        <div className={styles.call}>
          <span className={styles.chip}>calls {visible(piece.name)}</span>{' '}
          <JsonView value={piece.args ?? {}} depth={2} />
        </div>
      )
    case 'file': {
      const bytes = bytesIn(piece.source)
      return (
        <div>
          {bytes ? (
            <Chip {...bytes} />
          ) : (
            <span className={styles.chip}>
              {piece.what}: {visible(piece.source.slice(0, 300))}
            </span>
          )}
        </div>
      )
    }
    default:
      return <JsonView value={piece.value} depth={1} />
  }
}
