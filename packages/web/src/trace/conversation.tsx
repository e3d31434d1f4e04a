import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useCallback, useMemo } from 'react'
import { type Parts, partsQuery } from '../api/queries.ts'
import { formatCost, formatCount, formatDuration, spanName, visible } from '../format/format.ts'
import { Contained } from '../parts/contained.tsx'
import { Failure } from '../parts/controls.tsx'
import { VirtualList } from '../parts/scroller.tsx'
import { familyOf, TypeIcon } from '../parts/type-icon.tsx'
import content from './content.module.css'
import { messagesIn, newMessages, plainText, valueIn } from './messages.ts'
import styles from './trace.module.css'
import { msOf, NONE, rootOf, type Trace } from './trace-model.ts'
import { useSpanKeys } from './use-span-keys.ts'
import { JsonView, MessageView, TextView } from './value-view.tsx'

interface ConversationProps {
  traceId: string
  trace: Trace
  selected: number
  select: (span: number) => void
}

/** What is said in a trace, in order: calls of models and tools, without the spans that only wrap them. */
export function Conversation({ traceId, trace, selected, select }: ConversationProps): ReactNode {
  const spans = useMemo(() => turnsOf(trace), [trace])
  const keyOf = useCallback((at: number) => trace.ids[spans[at] ?? NONE] ?? at, [trace, spans])
  useSpanKeys(trace, spans, selected, select)
  return (
    <VirtualList
      label="Conversation"
      className={styles.conversation}
      itemClass={styles.turn}
      count={spans.length}
      keyOf={keyOf}
      estimatedPx={140}
      chosen={spans.indexOf(selected)}
      align="auto"
    >
      {at => {
        const span = spans[at] as number
        return <Turn {...{ traceId, trace, span, select }} isSelected={span === selected} />
      }}
    </VirtualList>
  )
}

const SAYING = ['model', 'tool', 'retrieval']

/** The root, which has the question and the answer, and everything that says something itself. */
function turnsOf(trace: Trace): Int32Array {
  const root = rootOf(trace)
  return trace.preorder.filter(span => span === root || SAYING.includes(familyOf(trace.types[span] ?? '')))
}

interface TurnProps {
  traceId: string
  trace: Trace
  span: number
  isSelected: boolean
  select: (span: number) => void
}

function Turn({ traceId, trace, span, isSelected, select }: TurnProps): ReactNode {
  const said = useSaid(traceId, trace.ids[span] as string, msOf(trace, span))
  const isError = trace.isError[span] === 1
  return (
    <article data-selected={isSelected || undefined} data-error={isError || undefined}>
      <button type="button" className={styles.turnHead} onClick={() => select(span)}>
        <TypeIcon type={trace.types[span] ?? ''} />
        <strong>{spanName(trace.names[span], 300)}</strong>
        {isError && <span className={styles.red}>✕ error</span>}
        <span className={styles.soft}>
          {formatDuration(msOf(trace, span))}
          {(trace.costs[span] ?? 0) > 0 && ` · ${formatCost(trace.costs[span])}`}
        </span>
      </button>
      <Said {...said} />
    </article>
  )
}

/** A conversation is in every request for its next turn, so chats are long: parsed only if all of it is here. */
const SAID_MAX = 1_000_000

const SAID = ['inputs', 'outputs']

/** The texts of a span, as {@link Said} shows them: if they are long, more of them than one reads otherwise. */
export function useSaid(trace_id: string, span_id: string, ms: number | undefined): SaidProps {
  const short = useQuery(partsQuery(trace_id, span_id, { ms }))
  const { data } = short
  const isCut = data?.parts.some(({ part, next }) => SAID.includes(part) && next !== undefined) ?? false
  const longer = useQuery({ ...partsQuery(trace_id, span_id, { ms, length: SAID_MAX }), enabled: isCut })
  const { data: found, error } = isCut ? longer : short
  return { parts: found?.parts, fault: found?.status_message, error }
}

interface SaidProps {
  parts: Parts['parts'] | undefined
  fault: string | undefined
  error: Error | null
}

/** What went in and came out, as messages where it is a chat. */
export const Said = (said: SaidProps): ReactNode => (
  <Contained what="What was said cannot be shown." of={said.parts}>
    <InAndOut {...said} />
  </Contained>
)

function InAndOut({ parts, fault, error }: SaidProps): ReactNode {
  const [input, output] = SAID.map(name => parts?.find(({ part }) => part === name))
  return (
    <div className={content.said}>
      {error && <Failure what="The span cannot be read." error={error} />}
      {input && <Saying part={input} label="Input" isNew />}
      {fault && <p className={content.fault}>{visible(fault)}</p>}
      {output && <Saying part={output} label="Output" />}
    </div>
  )
}

interface SayingProps {
  part: Parts['parts'][number]
  label: string
  isNew?: boolean
}

function Saying({ part: { text, characters, next }, label, isNew = false }: SayingProps): ReactNode {
  const value = valueIn(text)
  const messages = messagesIn(value)
  const plain = plainText(value)
  if (messages)
    return (isNew ? newMessages(messages) : messages).map((message, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the messages never change
      <MessageView key={index} message={message} />
    ))
  return (
    <div className={content.message}>
      <div className={content.role}>{label}</div>
      {plain === undefined ? <JsonView value={value} depth={1} /> : <TextView text={plain} />}
      {next !== undefined && (
        <p className={content.empty}>
          The first {formatCount(next)} of {formatCount(characters)} characters; the content of the span has all.
        </p>
      )}
    </div>
  )
}
