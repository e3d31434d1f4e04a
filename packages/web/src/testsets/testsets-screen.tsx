import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { testsetsQuery } from '../api/testsets.ts'
import { formatFullTime, formatTime, visible } from '../format/format.ts'
import { Button, Failure } from '../parts/controls.tsx'
import lists from '../parts/list.module.css'
import { NewTestset } from './new-testset.tsx'

/** All testsets of the project. */
export function TestsetsScreen(): ReactNode {
  const { data, error } = useQuery(testsetsQuery)
  const [isNew, setIsNew] = useState(false)
  const navigate = useNavigate()
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <div className={lists.scroller} tabIndex={0} role="region" aria-label="Testsets">
      <header className={lists.header}>
        <h1>Testsets</h1>
        <Button look="primary" onClick={() => setIsNew(true)}>
          New testset …
        </Button>
      </header>
      {error && <Failure what="The testsets cannot be listed." error={error} />}
      {data?.length === 0 && (
        <p className={lists.empty}>
          This project has no testset yet. Create one from a CSV file or from cells of a spreadsheet, or add traces to
          one in the list of traces.
        </p>
      )}
      <ul className={lists.list}>
        {data?.map(({ id, name, slug, created_at, updated_at = created_at }) => (
          <li key={id}>
            <Link to="/testsets/$id" params={{ id }}>
              {visible(name ?? slug)}
            </Link>
            <code>{visible(slug)}</code>
            <time dateTime={updated_at} title={formatFullTime(updated_at)}>
              {formatTime(updated_at)}
            </time>
          </li>
        ))}
      </ul>
      {isNew && (
        <NewTestset
          onClose={() => setIsNew(false)}
          onCreated={({ id }) => void navigate({ to: '/testsets/$id', params: { id } })}
        />
      )}
    </div>
  )
}
