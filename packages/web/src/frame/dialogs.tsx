import { useQuery } from '@tanstack/react-query'
import { useMatches, useNavigate } from '@tanstack/react-router'
import { Fragment, type KeyboardEvent, type ReactNode, useId, useState } from 'react'
import { forgetKey } from '../api/key.ts'
import { workflowsQuery } from '../api/registry/registry.ts'
import { testsetsQuery } from '../api/registry/testsets.ts'
import { visible } from '../format/format.ts'
import { Kbd } from '../parts/controls.tsx'
import { hasWords } from '../parts/has-words.ts'
import { Modal } from '../parts/modal.tsx'
import { WITH_ERRORS } from '../traces/filter-text.ts'
import { PERIOD_DEFAULT, PERIODS } from '../traces/search.ts'
import styles from './frame.module.css'
import { KEYS } from './keys.ts'
import { SCREENS } from './screens.ts'
import { changeTheme } from './theme.ts'

export const KeysHelp = ({ onClose }: { onClose: () => void }): ReactNode => (
  <Modal title="Keys" onClose={onClose}>
    <h2 className={styles.title}>Keys</h2>
    {KEYS.map(([place, keys]) => (
      <Fragment key={place}>
        <h3 className={styles.place}>{place}</h3>
        <dl className={styles.keys}>
          {keys.map(([key, does]) => (
            <Fragment key={key}>
              <dt>
                <Kbd>{key}</Kbd>
              </dt>
              <dd>{does}</dd>
            </Fragment>
          ))}
        </dl>
      </Fragment>
    ))}
  </Modal>
)

interface Command {
  /** Unique among the commands; by default the name. */
  id?: string
  name: string
  run: () => unknown
}

/**
 * All commands, narrowed by what is typed; an id of a trace opens it, and the name of an application, an evaluator or a
 * testset leads there.
 */
export function Commands({ onClose, onKeys }: { onClose: () => void; onKeys: () => void }): ReactNode {
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const listId = useId()
  const [before] = useState(() => document.activeElement)
  const commands = [...useCommands(text, onKeys), ...useNamed(text)]
  const run = (command: Command | undefined): void => {
    if (!command) return
    onClose()
    command.run()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    // Such keys choose among the characters that an input method proposes.
    if (event.nativeEvent.isComposing) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) setChosen((chosen + step + commands.length) % Math.max(1, commands.length))
    else if (event.key === 'Enter') run(commands[chosen])
    else return
    event.preventDefault()
  }
  return (
    <Modal title="Commands" onClose={onClose} returnTo={before}>
      <input
        className={styles.find}
        // biome-ignore lint/a11y/noAutofocus: typing is the next step after ⌘K
        autoFocus
        role="combobox"
        aria-label="Command, name or trace id"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={`${listId}-${chosen}`}
        placeholder="Type a command or a name, or paste the id of a trace"
        value={text}
        onKeyDown={onKeyDown}
        onChange={event => {
          setText(event.target.value)
          setChosen(0)
        }}
      />
      <div className={styles.options} role="listbox" id={listId} aria-label="Commands">
        {commands.map((command, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the text field
          <div
            key={command.id ?? command.name}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === chosen}
            onClick={() => run(command)}
          >
            {command.name}
          </div>
        ))}
      </div>
      <div role="status" className={styles.unknown}>
        {commands.length === 0 && 'Nothing has this name; a trace id has 32 hexadecimal digits.'}
      </div>
    </Modal>
  )
}

const TRACE_ID = /^(0x)?[0-9a-f]{32}$/i

/** The screens that show a time of one's choice. */
const WITH_TIME: readonly string[] = ['/traces', '/sessions', '/dashboard']

function useCommands(text: string, onKeys: () => void): Command[] {
  const navigate = useNavigate()
  const screen = useMatches({ select: matches => matches.at(-1)?.fullPath ?? '' })
  const list = (search: object) => () => navigate({ to: '/traces', search })
  /** Of the rows that are looked at; on a screen without a time, of the list of traces. */
  const time = (period: string) => () => {
    const since = period === PERIOD_DEFAULT ? undefined : period
    if (!WITH_TIME.includes(screen)) return navigate({ to: '/traces', search: { since } })
    return navigate({ to: '.', search: before => ({ ...before, since, from: undefined, to: undefined }) })
  }
  const id = text.trim().replaceAll('-', '')
  if (TRACE_ID.test(id)) {
    const traceId = id.toLowerCase().replace(/^0x/, '')
    return [{ name: `Open trace ${traceId}`, run: () => navigate({ to: '/traces/$traceId', params: { traceId } }) }]
  }
  const commands: Command[] = [
    ...SCREENS.map(([to, name]) => ({ name: `Go to ${name.toLowerCase()}`, run: () => navigate({ to }) })),
    { name: 'Show traces with errors', run: list({ q: WITH_ERRORS }) },
    { name: 'Show traces without annotations', run: list({ q: '-kind:annotation' }) },
    { name: 'Show the most expensive traces', run: list({ order: 'costs' }) },
    { name: 'Show the slowest traces', run: list({ order: 'duration' }) },
    { name: 'Show model calls', run: list({ focus: 'span', q: '(type:chat or type:completion or type:llm)' }) },
    ...Object.entries(PERIODS).map(([since, { label }]) => ({ name: `Time: ${label}`, run: time(since) })),
    { name: 'Change the theme', run: changeTheme },
    { name: 'Show all keys', run: onKeys },
    { name: 'Forget the API key in this browser', run: forgetKey },
  ]
  return commands.filter(({ name }) => hasWords(name, text))
}

/** What has a name in the project is offered once this much of it is typed, and so many of each kind. */
const TYPED_MIN = 2
const NAMED_MAX = 10

/** Applications, evaluators and testsets whose names have what is typed. */
function useNamed(text: string): Command[] {
  const navigate = useNavigate()
  const enabled = text.trim().length >= TYPED_MIN
  const applications = useQuery({ ...workflowsQuery('application'), enabled }).data
  const evaluators = useQuery({ ...workflowsQuery('evaluator'), enabled }).data
  const testsets = useQuery({ ...testsetsQuery, enabled }).data
  if (!enabled) return []
  const named = (all: readonly Named[] = [], kind: string, open: (id: string) => unknown): Command[] =>
    all
      .map(({ id, slug, name }) => ({ id, name: `Open ${kind} ${visible(name ?? slug)}`, run: () => open(id) }))
      .filter(({ name }) => hasWords(name, text))
      .slice(0, NAMED_MAX)
  const inPlayground = (kind: string) => (id: string) =>
    navigate({ to: '/playground/$kind/$id', params: { kind: `${kind}s`, id } })
  return [
    ...named(applications, 'application', inPlayground('application')),
    ...named(evaluators, 'evaluator', inPlayground('evaluator')),
    ...named(testsets, 'testset', id => navigate({ to: '/testsets/$id', params: { id } })),
  ]
}

interface Named {
  id: string
  slug: string
  name?: string
}
