import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useMatches } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useState, useSyncExternalStore } from 'react'
import { connectionTrouble, onConnectionChange } from '../api/connection.ts'
import { getKey, keyState, onKeyChange } from '../api/key.ts'
import { projectQuery } from '../api/queries.ts'
import { queryClient } from '../api/query-client.ts'
import { visible } from '../format/format.ts'
import { Contained } from '../parts/contained.tsx'
import { Button, Kbd } from '../parts/controls.tsx'
import { useCurrentInView } from '../parts/use-current-in-view.ts'
import styles from './frame.module.css'
import { KeyScreen } from './key-screen.tsx'
import { useKeys } from './keys.ts'
import { SCREENS } from './screens.ts'
import { changeTheme, onThemeChange, storedTheme } from './theme.ts'
import { useTitle } from './title.ts'

const Commands = lazy(() => import('./dialogs.tsx').then(module => ({ default: module.Commands })))
const KeysHelp = lazy(() => import('./dialogs.tsx').then(module => ({ default: module.KeysHelp })))

// Data of one project must not be shown with the key of another.
onKeyChange(() => queryClient.clear())

/** Another key may be entered in another tab: then nothing stays that was asked for with the one before. */
export function Frame(): ReactNode {
  return <FrameOfKey key={useSyncExternalStore(onKeyChange, getKey)} />
}

/** What surrounds every screen; without a key that the server knows it asks for one instead. */
function FrameOfKey(): ReactNode {
  const key = useSyncExternalStore(onKeyChange, keyState)
  const [open, setOpen] = useState<'commands' | 'keys'>()
  useKeys({ '⌘k': () => setOpen('commands'), '?': () => setOpen('keys') })
  const { title, isPublic = false } = useMatches({ select: matches => matches.at(-1)?.staticData ?? {} })
  const isShown = isPublic || key === 'present'
  useTitle(isShown ? title : 'API key')
  return (
    <div className={styles.frame}>
      <Bar onCommands={() => setOpen('commands')} onKeys={() => setOpen('keys')} hasKey={key === 'present'} />
      <Trouble />
      <main className={styles.main}>{isShown ? <Outlet /> : <KeyScreen state={key} />}</main>
      <Contained what="The dialog cannot be shown." of={open}>
        <Suspense>
          {open === 'commands' && <Commands onClose={() => setOpen(undefined)} onKeys={() => setOpen('keys')} />}
          {open === 'keys' && <KeysHelp onClose={() => setOpen(undefined)} />}
        </Suspense>
      </Contained>
    </div>
  )
}

interface BarProps {
  onCommands: () => void
  onKeys: () => void
  hasKey: boolean
}

function Bar({ onCommands, onKeys, hasKey }: BarProps): ReactNode {
  const theme = useSyncExternalStore(onThemeChange, storedTheme)
  const nav = useCurrentInView()
  return (
    <header className={styles.bar}>
      <Link to="/traces" className={styles.brand}>
        <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
          <path d="M1 3h9M4 8h9M7 13h8" stroke="var(--accent)" strokeWidth="2.500" strokeLinecap="round" />
        </svg>
        <span className={styles.word}>Spanhouse</span>
      </Link>
      <nav ref={nav} aria-label="Screens">
        {SCREENS.map(([to, name]) => (
          <Link key={to} to={to}>
            {name}
          </Link>
        ))}
      </nav>
      <span className={styles.space} />
      {hasKey && <ProjectName />}
      <Button look="plain" onClick={onCommands}>
        <span className={styles.word}>Commands</span>{' '}
        <span aria-hidden="true">
          <Kbd>⌘K</Kbd>
        </span>
      </Button>
      <Button look="plain" onClick={changeTheme} aria-label={`Theme: ${theme}`}>
        <span aria-hidden="true">{{ system: '◐', light: '☀', dark: '☾' }[theme]}</span>
      </Button>
      <Button look="plain" onClick={onKeys} aria-label="Keys" className={styles.wide}>
        <span aria-hidden="true">?</span>
      </Button>
    </header>
  )
}

function ProjectName(): ReactNode {
  const { data } = useQuery(projectQuery)
  return <span className={`${styles.project} ${styles.wide}`}>{data && visible(data.project_name)}</span>
}

function Trouble(): ReactNode {
  const trouble = useSyncExternalStore(onConnectionChange, connectionTrouble)
  return <div aria-live="polite">{trouble && <div className={styles.trouble}>{trouble}</div>}</div>
}
