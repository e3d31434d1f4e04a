import { useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { groupsQuery } from '../api/queries.ts'
import { savedQueriesQuery } from '../api/saved-queries.ts'
import { formatCount, visible } from '../format/format.ts'
import { Button, controls, Failure } from '../parts/controls.tsx'
import { PopoverButton } from '../parts/popover.tsx'
import { printFilter } from '../traces/filter-print.ts'
import { allOf, FilterError, parseFilterText } from '../traces/filter-text.ts'
import { useBody } from '../traces/use-body.ts'
import styles from './dashboard.module.css'
import { TILES_MAX } from './search.ts'
import type { Shown } from './shown.ts'
import { BUCKETS, type Tile, TileView } from './tiles.tsx'

/** A tile for each added filter, and the button that adds one. */
export function OwnTiles(shown: Shown): ReactNode {
  const { tiles = [] } = shown.search
  const set = (next: readonly string[]): void => shown.change({ tiles: next.length > 0 ? [...next] : undefined })
  return (
    <>
      {tiles.map(text => (
        <OwnTile key={text} text={text} shown={shown} onRemove={() => set(tiles.filter(one => one !== text))} />
      ))}
      {tiles.length < TILES_MAX && (
        <section className={styles.more}>
          <PopoverButton label="Add a tile …">
            <AddTile onAdd={text => !tiles.includes(text) && set([...tiles, text])} />
          </PopoverButton>
          <p>A tile shows a list of traces, within the time and the filter of the dashboard.</p>
        </section>
      )}
    </>
  )
}

interface OwnTileProps {
  text: string
  shown: Shown
  onRemove: () => void
}

function OwnTile({ text, shown, onRemove }: OwnTileProps): ReactNode {
  const { body, error } = useBody({ ...shown.search, q: allOf([shown.search.q, text]) })
  const asked = body ?? shown.body
  const total = useQuery({ ...groupsQuery(asked, {}), enabled: body !== undefined })
  const parts = useQuery({ ...groupsQuery(asked, { buckets: BUCKETS }), enabled: body !== undefined })
  const tile: Tile = {
    title: visible(text),
    look: 'bars',
    figure: ({ count }) => formatCount(count),
    opens: {},
    term: text,
    format: formatCount,
    series: COUNT,
  }
  return (
    <TileView tile={tile} total={total.data} parts={parts.data} shown={shown}>
      <Button look="plain" aria-label={`Remove the tile ${visible(text)}`} onClick={onRemove}>
        ✕
      </Button>
      {(error ?? total.error) && <Failure what="The rows cannot be counted." error={(error ?? total.error) as Error} />}
    </TileView>
  )
}

const COUNT: Tile['series'] = [{ name: 'traces', colour: '--bar', of: ({ count }) => count }]

function AddTile({ onAdd }: { onAdd: (text: string) => void }): ReactNode {
  const { data: saved = [] } = useQuery(savedQueriesQuery)
  const [text, setText] = useState('')
  const [mistake, setMistake] = useState<string>()
  const add = (event: FormEvent): void => {
    event.preventDefault()
    const filter = text.trim()
    if (filter === '') return
    try {
      parseFilterText(filter)
    } catch (error) {
      if (!(error instanceof FilterError)) throw error
      setMistake(error.message)
      return
    }
    onAdd(filter)
    setText('')
    setMistake(undefined)
  }
  const offered = saved.flatMap(({ id, name, slug, data }) => {
    const filter = data?.filtering && data.formatting?.focus !== 'span' ? printFilter(data.filtering) : ''
    return filter === '' ? [] : [{ id, name: name ?? slug, filter }]
  })
  return (
    <form className={styles.adding} onSubmit={add}>
      <input
        className={controls.input}
        aria-label="Filter of the tile"
        aria-invalid={mistake !== undefined}
        placeholder="Filter, such as type:agent errors>0"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <Button type="submit" disabled={text.trim() === ''}>
        Add
      </Button>
      {mistake !== undefined && <p role="alert">{mistake}</p>}
      {offered.length > 0 && <h3>Saved filters</h3>}
      {offered.map(({ id, name, filter }) => (
        <Button key={id} look="plain" title={visible(filter)} onClick={() => onAdd(filter)}>
          {visible(name)}
        </Button>
      ))}
    </form>
  )
}
