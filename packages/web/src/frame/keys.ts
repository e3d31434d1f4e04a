import { useEffect, useEffectEvent } from 'react'

/** What a key does; by `KeyboardEvent.key`. A handler that returns false leaves the key to others. */
export type KeyMap = Readonly<Record<string, (() => unknown) | undefined>>

type Handler = (event: KeyboardEvent) => boolean

/** The parts of the page that take keys; the newest first. */
const handlers: Handler[] = []

addEventListener('keydown', event => {
  if (event.defaultPrevented || event.isComposing || isInDialog(event.target)) return
  const { key, altKey } = event
  if (altKey && !BRACKETS.has(key)) return
  if (isCommand(event) ? !COMMAND_KEYS.has(key) : isForField(event.composedPath()[0], key)) return
  for (const handler of handlers.toReversed())
    if (handler(event)) {
      event.preventDefault()
      return
    }
})

/** Taken with Ctrl or Cmd, in text fields too; all others are the browser's. */
const COMMAND_KEYS: ReadonlySet<string> = new Set(['k', 'Enter'])

/** Many keyboards have no keys of their own for these: they are typed with AltGr, which is Ctrl and Alt, or Option. */
const BRACKETS: ReadonlySet<string> = new Set(['[', ']'])

const isCommand = ({ ctrlKey, metaKey, altKey }: KeyboardEvent): boolean => metaKey || (ctrlKey && !altKey)

/**
 * Go on while they are held down. Any other key acts once: held a moment too long, it must not judge the next cases.
 */
const STEP_KEYS: ReadonlySet<string> = new Set('j k [ ] e ArrowUp ArrowDown ArrowLeft ArrowRight'.split(' '))

/** Takes keys while the component is shown, before the parts that were shown earlier. */
export function useKeys(keys: KeyMap): void {
  const handle = useEffectEvent((event: KeyboardEvent): boolean => {
    const name = isCommand(event) ? `⌘${event.key}` : event.key
    const act = Object.hasOwn(keys, name) ? keys[name] : undefined
    if (act === undefined) return false
    return (event.repeat && !STEP_KEYS.has(event.key)) || act() !== false
  })
  useEffect(() => {
    const handler: Handler = event => handle(event)
    handlers.push(handler)
    return () => void handlers.splice(handlers.indexOf(handler), 1)
  }, [])
}

/** All keys, for the list that `?` shows. */
export const KEYS: readonly (readonly [place: string, readonly (readonly [keys: string, does: string])[]])[] = [
  [
    'Everywhere',
    [
      ['⌘K', 'find commands, names, and traces by id'],
      ['?', 'show these keys'],
      ['Esc', 'close'],
    ],
  ],
  [
    'List of traces',
    [
      ['/', 'filter'],
      ['j k', 'next, previous row'],
      ['Enter', 'open'],
      ['x', 'select the row'],
      ['[ ]', 'previous, next trace while one is open'],
      ['n', 'show what is new'],
    ],
  ],
  [
    'Sessions',
    [
      ['j k', 'next, previous session or turn'],
      ['s', 'show the steps of the turn'],
      ['o', 'open the trace of the turn'],
    ],
  ],
  [
    'Dashboard',
    [
      ['← →', 'move through time, in a chart'],
      ['Enter', 'open the rows of that time'],
    ],
  ],
  [
    'Trace',
    [
      ['j k ↓ ↑', 'next, previous span'],
      ['← →', 'collapse, expand; then parent, child'],
      ['Home End', 'first, last span'],
      ['e', 'next error'],
      ['f', 'find a span'],
      ['m', 'show tokens or cost'],
      ['1 2 3', 'tree, conversation, flame'],
      ['z', 'show the whole time again'],
      ['a', 'annotate the span'],
      ['g', 'shorten long gaps'],
      ['c', 'show only the critical path'],
    ],
  ],
  [
    'Evaluations',
    [
      ['/', 'find runs by name'],
      ['j k', 'next, previous row'],
      ['x', 'choose a run to compare; in a run: show all cases again'],
      ['c', 'compare the chosen runs'],
      ['n', 'new evaluation; in a live run: show what is new'],
      ['Enter', 'open a case'],
      ['[ ]', 'previous, next case while one is open'],
      ['d', 'show the diff of the outputs'],
      ['b t', 'in a comparison: the trace of the baseline, of the run'],
      ['s', 'in a comparison: judge side by side'],
    ],
  ],
  [
    'Queue',
    [
      ['1 … 9 0', 'choose an option of the marked field'],
      ['j k', 'next, previous field'],
      ['⌘Enter', 'save and continue'],
      ['u', 'undo the last one'],
      ['s', 'skip'],
    ],
  ],
  [
    'Side by side',
    [
      ['1 2', 'the first, the second output is better'],
      ['3', 'both are equally good'],
      ['d', 'show the diff of the outputs'],
      ['r', 'show the result so far'],
      ['s', 'skip'],
      ['u', 'undo the last one'],
    ],
  ],
  [
    'Playground',
    [
      ['⌘Enter', 'run everything'],
      ['s', 'stop'],
    ],
  ],
  [
    'Testset',
    [
      ['← → ↑ ↓', 'move to another cell'],
      ['Enter', 'edit the cell; then the one below'],
      ['⌘V', 'paste rows of a spreadsheet, from this cell on'],
      ['Delete', 'empty the cell'],
    ],
  ],
]

/** Scroll what has the focus. */
const SCROLL_KEYS: ReadonlySet<string> = new Set('ArrowUp ArrowDown ArrowLeft ArrowRight Home End'.split(' '))

/**
 * Whether a key is typed into a field, chooses among radio buttons, or scrolls a `Scroller` that is read; editors have
 * theirs in a shadow tree.
 */
function isForField(target: EventTarget | undefined, key: string): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (SCROLL_KEYS.has(key) && target.closest('[data-scrolls]')) return true
  if (target instanceof HTMLInputElement)
    return target.type === 'radio' ? key.startsWith('Arrow') : target.type !== 'checkbox'
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || target.isContentEditable
}

const isInDialog = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('[data-modal]') !== null
