import { presentableDiff } from '@codemirror/merge'
import { type ReactNode, useMemo } from 'react'
import { visible } from '../../format/format.ts'
import styles from './table.module.css'

interface DiffTextProps {
  before: string
  after: string
}

/** Long texts that hardly agree are not compared in more steps than this. */
const SCAN_MAX = 2_000

/** A text in which what another one has instead is struck out beside it. */
export default function LoadedDiff({ before, after }: DiffTextProps): ReactNode {
  const pieces = useMemo(() => piecesOf(before, after), [before, after])
  return pieces.map(({ kind, text }, index) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of two texts never change
    if (kind === 'same') return <span key={index}>{visible(text)}</span>
    const Changed = kind === 'added' ? 'ins' : 'del'
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: see above
      <Changed key={index} className={styles[kind]}>
        {visible(text)}
      </Changed>
    )
  })
}

interface Piece {
  kind: 'same' | 'added' | 'removed'
  text: string
}

function piecesOf(before: string, after: string): Piece[] {
  const pieces: Piece[] = []
  const add = (kind: Piece['kind'], text: string): void => void (text !== '' && pieces.push({ kind, text }))
  let at = 0
  for (const { fromA, toA, fromB, toB } of presentableDiff(before, after, { scanLimit: SCAN_MAX })) {
    add('same', after.slice(at, fromB))
    add('removed', before.slice(fromA, toA))
    add('added', after.slice(fromB, toB))
    at = toB
  }
  add('same', after.slice(at))
  return pieces
}
