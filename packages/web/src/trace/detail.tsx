import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { type Parts, partsQuery } from '../api/queries.ts'
import { isObject } from '../api/registry/registry.ts'
import { exact, formatAmount, formatCost, formatDuration, spanName, visible } from '../format/format.ts'
import { useKeys } from '../frame/keys.ts'
import { Contained } from '../parts/contained.tsx'
import { Button, Failure, Waiting } from '../parts/controls.tsx'
import { Scroller } from '../parts/scroller.tsx'
import { TypeIcon } from '../parts/type-icon.tsx'
import { type ChangeTrace, TABS, type Tab, type TraceSearch } from '../traces/search.ts'
import { Annotations } from './annotations.tsx'
import content from './content.module.css'
import { Fact } from './fact.tsx'
import { parsed } from './messages.ts'
import { PartView } from './part-view.tsx'
import { referencesIn } from './references.tsx'
import styles from './trace.module.css'
import { TraceActions } from './trace-actions.tsx'
import { msOf, type Trace } from './trace-model.ts'
import { TextView } from './value-view.tsx'

interface DetailProps {
  traceId: string
  trace: Trace
  selected: number
  search: TraceSearch
  change: ChangeTrace
  /** Undefined: there is nothing else. */
  onBack: (() => void) | undefined
}

const TAB_NAMES: Readonly<Record<Tab, string>> = {
  content: 'Content',
  attributes: 'Attributes',
  events: 'Events',
  annotations: 'Annotations',
  raw: 'Raw',
}
const TITLES: Readonly<Record<string, string>> = {
  inputs: 'Input',
  outputs: 'Output',
  parameters: 'Parameters',
  internals: 'Internals',
  attributes: 'Attributes',
  events: 'Events',
  links: 'Links',
  references: 'References',
  unsupported: 'Unsupported',
}
const PARTS_OF: Readonly<Record<Exclude<Tab, 'raw' | 'annotations'>, readonly string[]>> = {
  content: ['inputs', 'outputs', 'parameters', 'internals', 'unsupported'],
  attributes: ['attributes', 'references', 'links'],
  events: ['events'],
}

/** One span: its own figures, and its texts. */
export function Detail({ traceId, trace, selected, search, change, onBack }: DetailProps): ReactNode {
  const span_id = trace.ids[selected] as string
  const { data, error } = useQuery(partsQuery(traceId, span_id, { ms: msOf(trace, selected) }))
  const tab = search.tab ?? 'content'
  const ids = { trace_id: traceId, span_id }
  const [isWriting, setIsWriting] = useState(false)
  const write = (): void => {
    setIsWriting(true)
    if (tab !== 'annotations') change({ tab: 'annotations' }, { replace: true })
  }
  useKeys({ a: write })
  return (
    <section className={styles.detail} aria-label="Span">
      <Facts trace={trace} selected={selected} model={modelIn(data?.parts)} onBack={onBack} />
      <div className={styles.tabs} role="tablist" aria-label="Parts of the span">
        {TABS.map(one => (
          <button
            key={one}
            type="button"
            role="tab"
            aria-selected={one === tab}
            aria-controls="span-parts"
            onClick={() => change({ tab: one === 'content' ? undefined : one }, { replace: true })}
          >
            {TAB_NAMES[one]}
          </button>
        ))}
      </div>
      <div className={styles.actions}>
        <TraceActions
          span={ids}
          references={referencesIn(data?.parts.find(({ part }) => part === 'references')?.text)}
          onAnnotate={write}
        />
      </div>
      <Scroller id="span-parts" role="tabpanel" className={styles.parts} label={TAB_NAMES[tab]}>
        {error && <Failure what="The span cannot be read." error={error} />}
        {!data && !error && <Waiting />}
        <Contained what="This part of the span cannot be shown." of={tab}>
          {data?.status_message && <Fault text={data.status_message} />}
          {data && tab === 'raw' && <Raw parts={data.parts} />}
          {tab === 'annotations' && (
            <Annotations
              traceId={traceId}
              spanId={span_id}
              nameOf={id => trace.names[trace.indexOf.get(id) ?? -1]}
              isWriting={isWriting}
              onWritten={() => setIsWriting(false)}
            />
          )}
          {data && tab !== 'raw' && tab !== 'annotations' && <Chosen parts={data.parts} tab={tab} ids={ids} />}
        </Contained>
      </Scroller>
    </section>
  )
}

/** The model that a span called, from its attributes. */
function modelIn(parts: Parts['parts'] = []): string | undefined {
  const attributes = parsed(parts.find(({ part }) => part === 'attributes')?.text ?? '')
  const meta = memberOf(memberOf(attributes, 'ag'), 'meta')
  const model = memberOf(memberOf(meta, 'response'), 'model') ?? memberOf(memberOf(meta, 'request'), 'model')
  return typeof model === 'string' ? model : undefined
}

const memberOf = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined)

interface FactsProps extends Pick<DetailProps, 'trace' | 'selected' | 'onBack'> {
  model: string | undefined
}

function Facts({ trace, selected, model, onBack }: FactsProps): ReactNode {
  const { starts, ownTokens, ownCosts, names, types } = trace
  return (
    <header className={styles.facts}>
      {onBack && (
        <Button look="plain" className={styles.back} onClick={onBack}>
          ← All spans
        </Button>
      )}
      <TypeIcon type={types[selected] ?? ''} />
      <h3 title={spanName(names[selected], 1000)}>{spanName(names[selected], 1000)}</h3>
      {trace.isError[selected] === 1 && <span className={styles.red}>✕ error</span>}
      <dl className={styles.totals}>
        <Fact name="Duration">{formatDuration(msOf(trace, selected))}</Fact>
        <Fact name="Began">+{formatDuration((starts[selected] ?? 0) / 1000)}</Fact>
        {model !== undefined && <Fact name="Model">{visible(model)}</Fact>}
        {(ownTokens[selected] ?? 0) > 0 && (
          <Fact name="Own tokens" title={exact(ownTokens[selected])}>
            {formatAmount(ownTokens[selected])}
          </Fact>
        )}
        {(ownCosts[selected] ?? 0) > 0 && (
          <Fact name="Own cost" title={exact(ownCosts[selected])}>
            {formatCost(ownCosts[selected])}
          </Fact>
        )}
      </dl>
    </header>
  )
}

type Part = Parts['parts'][number]

interface ChosenProps {
  parts: readonly Part[]
  tab: Exclude<Tab, 'raw' | 'annotations'>
  ids: { trace_id: string; span_id: string }
}

function Chosen({ parts, tab, ids }: ChosenProps): ReactNode {
  const shown = parts.flatMap(part => (part.part === 'unsupported' ? (leftOf(part, parts) ?? []) : part))
  const chosen = PARTS_OF[tab].flatMap(name => shown.filter(({ part }) => part === name))
  if (chosen.length === 0)
    return <p className={content.empty}>The span has {tab === 'content' ? 'no input and no output' : `no ${tab}`}.</p>
  // One that was sent again is another one.
  return chosen.map(part => (
    <PartView key={`${part.part} ${part.characters}`} title={TITLES[part.part] ?? part.part} part={part} ids={ids} />
  ))
}

/** What did not fit the schema without the inputs and other data that are shown in their place; undefined: nothing. */
function leftOf(unsupported: Part, parts: readonly Part[]): Part | undefined {
  const all = parsed(unsupported.text)
  if (unsupported.next !== undefined || !isObject(all)) return unsupported
  const { data, ...others } = all
  const isShown = (name: string): boolean => parts.some(one => one.part === name && one.is_unsupported === true)
  const rest = isObject(data) ? Object.entries(data).filter(([name]) => !isShown(name)) : []
  const left = isObject(data) ? { ...others, ...(rest.length > 0 && { data: Object.fromEntries(rest) }) } : all
  return Object.keys(left).length === 0 ? undefined : { ...unsupported, text: JSON.stringify(left) }
}

/** Characters of the message of an error that are shown at first: some send the whole stack with it. */
const FAULT_MAX = 600

const Fault = ({ text }: { text: string }): ReactNode => (
  <p className={content.fault}>
    <TextView text={text} max={FAULT_MAX} />
  </p>
)

/** What did not fit the schema is in the attributes. */
const isStored = ({ part, is_unsupported }: Part): boolean => part !== 'unsupported' && is_unsupported !== true

const Raw = ({ parts }: { parts: readonly Part[] }): ReactNode => (
  <pre className={content.raw}>
    {visible(
      parts
        .filter(isStored)
        .map(({ part, text, next }) => `${part}:\n${text}${next === undefined ? '' : ' …'}`)
        .join('\n\n'),
    )}
  </pre>
)
