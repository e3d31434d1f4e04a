import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { visible } from '../format/format.ts'
import { useKeys } from '../frame/keys.ts'
import { controls, Kbd } from '../parts/controls.tsx'
import { FIELDS } from './filter-fields.ts'
import { type FilterError, quoted, splitTerms } from './filter-text.ts'
import type { Window } from './search.ts'
import styles from './traces.module.css'
import { useFieldValues } from './use-field-values.ts'

interface FilterLineProps {
  text: string
  error: FilterError | undefined
  change: ChangeFilter
  /** In which the values occur that are offered. */
  window: Window | undefined
}

type ChangeFilter = (changes: { q: string | undefined }, options?: { replace?: boolean }) => void

/**
 * Keys that come faster than this, as those of a key that is held, are one change. Each other key asks the server at
 * once, and cancels what the one before asked.
 */
const FOLLOW_MS = 30

/** The filter as text, with completions for the word at its end. */
export function FilterLine({ text, error, change, window }: FilterLineProps): ReactNode {
  const [typed, setTyped] = useState(text)
  const [chosen, setChosen] = useState(-1)
  const [isOpen, setIsOpen] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const listId = useId()
  useKeys({ '/': () => input.current?.focus() })
  useFollowing(text, typed, setTyped, change)
  const values = useFieldValues(isOpen ? fieldIn(typed) : undefined, window)
  const completions = isOpen ? completionsOf(typed, values) : []
  const complete = (completion: Completion | undefined): void => {
    if (!completion) return
    setTyped(completion.text)
    setChosen(-1)
    input.current?.focus()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    // Such keys choose among the characters that an input method proposes.
    if (event.nativeEvent.isComposing) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && completions.length > 0)
      setChosen((chosen + step + completions.length) % completions.length)
    else if (event.key === 'Enter' && chosen >= 0) complete(completions[chosen])
    else if (event.key === 'Escape' && isOpen && completions.length > 0) setIsOpen(false)
    else if (event.key === 'Escape' || event.key === 'Enter') input.current?.blur()
    else return
    event.preventDefault()
  }
  return (
    <search className={styles.filter}>
      <input
        ref={input}
        className={controls.input}
        role="combobox"
        aria-label="Filter"
        aria-autocomplete="list"
        aria-expanded={completions.length > 0}
        aria-controls={listId}
        aria-activedescendant={chosen >= 0 ? `${listId}-${chosen}` : undefined}
        aria-invalid={error !== undefined}
        placeholder="Filter: text, or type:agent cost>0.01 errors>0 -user:ada"
        spellCheck={false}
        autoComplete="off"
        value={typed}
        onChange={event => {
          setTyped(event.target.value)
          setChosen(-1)
          setIsOpen(true)
        }}
        onFocus={() => setIsOpen(true)}
        onBlur={() => setIsOpen(false)}
        onKeyDown={onKeyDown}
      />
      <span className={styles.slash} aria-hidden="true">
        <Kbd>/</Kbd>
      </span>
      <div
        className={styles.completions}
        role="listbox"
        id={listId}
        aria-label="Completions"
        hidden={completions.length === 0}
      >
        {completions.map(({ text: whole, label, about }, index) => (
          <div
            key={label}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === chosen}
            onPointerDown={event => {
              event.preventDefault()
              complete({ text: whole, label, about })
            }}
          >
            <code>{label}</code> <span>{about}</span>
          </div>
        ))}
      </div>
      {error && (
        <p role="alert" className={styles.mistake}>
          {error.message}
        </p>
      )}
    </search>
  )
}

/** The list follows what is typed; what is typed follows the address, when that changes otherwise. */
function useFollowing(text: string, typed: string, setTyped: (text: string) => void, change: ChangeFilter): void {
  const [followed, setFollowed] = useState(text)
  if (text !== followed) {
    setFollowed(text)
    if (text !== typed.trim()) setTyped(text)
  }
  const last = useRef({ typed, at: 0, isFast: false })
  useEffect(() => {
    if (last.current.typed !== typed) {
      const at = performance.now()
      last.current = { typed, at, isFast: at - last.current.at < FOLLOW_MS }
    }
    const next = typed.trim()
    if (next === text) return
    const timer = setTimeout(
      () => {
        setFollowed(next)
        change({ q: next || undefined }, { replace: text !== '' })
      },
      last.current.isFast ? FOLLOW_MS : 0,
    )
    return () => clearTimeout(timer)
  })
}

interface Completion {
  /** The whole line with it. */
  text: string
  label: string
  about: string
}

const COMPLETIONS_MAX = 12

/** The part of the line that is being typed: the word at its end, and what it has before its name. */
function lastWord(typed: string): { before: string; name: string; value: string | undefined } {
  const last = typed.endsWith(' ') && !isInQuotes(typed) ? '' : (splitTerms(typed).at(-1) ?? '')
  const sign = /^[-(]*/.exec(last)?.[0] ?? ''
  const [, name = '', value] = /^([^:=]*)(?:[:=]"?(.*))?$/su.exec(last.slice(sign.length)) ?? []
  return { before: typed.slice(0, typed.length - last.length) + sign, name, value }
}

const isInQuotes = (text: string): boolean => (text.replace(/\\./g, '').split('"').length - 1) % 2 === 1

/** The field whose value is being typed. */
function fieldIn(typed: string): string | undefined {
  const { name, value } = lastWord(typed)
  return value === undefined ? undefined : name
}

function completionsOf(typed: string, values: readonly string[]): Completion[] {
  const { before, name, value } = lastWord(typed)
  if (value !== undefined) {
    const wanted = value.toLowerCase()
    const operator = FIELDS[name]?.kind === 'text' ? '=' : ':'
    return values
      .filter(one => one.toLowerCase().includes(wanted) && one !== value)
      .slice(0, COMPLETIONS_MAX)
      .map(one => {
        const label = `${name}${operator}${quoted(one)}`
        return { text: `${before}${label} `, label: visible(label), about: '' }
      })
  }
  return Object.entries(FIELDS)
    .filter(([field]) => field.startsWith(name.toLowerCase()))
    .map(([field, { about, kind }]) => {
      const relation = kind === 'number' || kind === 'duration' ? '>' : ':'
      return { text: `${before}${field}${relation}`, label: `${field}${relation}`, about }
    })
}
