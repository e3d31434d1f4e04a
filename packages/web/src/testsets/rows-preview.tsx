import type { ReactNode } from 'react'
import type { JsonObject } from '../api/registry/registry.ts'
import { formatCount, formatNumberOf, visible } from '../format/format.ts'
import { Scroller } from '../parts/scroller.tsx'
import { memberOf, textOfValue, typeOf } from './table-text.ts'
import styles from './testsets.module.css'

const SHOWN = 5

/** The columns of rows with their types, and the first rows. */
export function RowsPreview({ rows }: { rows: readonly JsonObject[] }): ReactNode {
  const columns = [...new Set(rows.flatMap(row => Object.keys(row)))]
  if (rows.length === 0) return <p className={styles.soft}>No rows yet: rows can be added later.</p>
  return (
    <Scroller className={styles.preview} label="Preview">
      <table>
        <caption>
          {formatNumberOf(rows.length, 'row')}, {formatNumberOf(columns.length, 'column')}
        </caption>
        <thead>
          <tr>
            {columns.map(column => (
              <th key={column} scope="col">
                {visible(column)} <small>{typeOf(rows.map(row => memberOf(row, column)))}</small>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, SHOWN).map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity before they are stored
            <tr key={index}>
              {columns.map(column => (
                <td key={column}>{visible(textOfValue(memberOf(row, column)).slice(0, 200))}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > SHOWN && <p className={styles.soft}>… and {formatCount(rows.length - SHOWN)} more</p>}
    </Scroller>
  )
}
