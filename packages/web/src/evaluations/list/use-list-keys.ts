import { type RefObject, useRef } from 'react'
import { useKeys } from '../../frame/keys.ts'
import { useRowClicks } from '../../parts/use-row-clicks.ts'

/**
 * `j` and `k` move the focus among the links of a table's rows, `x` chooses the row (its `data-id`), and a click opens it.
 */
export function useListKeys(onChoose?: (id: string) => void): RefObject<HTMLDivElement | null> {
  const place = useRef<HTMLDivElement>(null)
  const rows = (): HTMLElement[] => [...(place.current?.querySelectorAll<HTMLElement>('[data-id]') ?? [])]
  const focused = (): number => rows().findIndex(row => row.contains(document.activeElement))
  const move = (by: number) => () => {
    const at = focused()
    rows()[at < 0 ? 0 : at + by]?.querySelector('a')?.focus()
  }
  const choose = (): unknown => {
    const id = rows()[focused()]?.dataset.id
    return id === undefined || onChoose === undefined ? false : onChoose(id)
  }
  useRowClicks(place)
  useKeys({ j: move(1), k: move(-1), ArrowDown: move(1), ArrowUp: move(-1), x: choose })
  return place
}
