import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { type Annotation, annotationsQuery } from '../api/scores.ts'
import { formatCount, formatFullTime, formatTime, visible } from '../format/format.ts'
import { Button, Failure } from '../parts/controls.tsx'
import { AnnotationForm } from './annotation-form.tsx'
import content from './content.module.css'
import { JsonView } from './value-view.tsx'

interface AnnotationsProps {
  traceId: string
  spanId: string
  nameOf: (span_id: string) => string | undefined
  isWriting: boolean
  onWritten: () => void
}

/** So many more are shown at once. */
const SHOWN = 100

/** What people and evaluators said of the spans of a trace, and a form to say something of the selected one. */
export function Annotations({ traceId, spanId, nameOf, isWriting, onWritten }: AnnotationsProps): ReactNode {
  const { data, error } = useQuery({ ...annotationsQuery([traceId]), refetchInterval: 5_000 })
  const [shownMax, setShownMax] = useState(SHOWN)
  const all = data ?? []
  const isOfThis = ({ about }: Annotation): boolean => about.some(one => one.span_id === spanId)
  const ofThis = all.filter(isOfThis)
  const ofOthers = all.filter(one => !isOfThis(one))
  const shownOfOthers = ofOthers.slice(0, Math.max(0, shownMax - ofThis.length))
  return (
    <>
      {isWriting && <AnnotationForm about={{ trace_id: traceId, span_id: spanId }} onClose={onWritten} />}
      {error && <Failure what="The annotations cannot be read." error={error} />}
      {data?.length === 0 && !isWriting && (
        <p className={content.empty}>No person or evaluator has judged this trace.</p>
      )}
      {ofThis.slice(0, shownMax).map(one => (
        <AnnotationView key={one.trace_id} annotation={one} />
      ))}
      {shownOfOthers.length > 0 && <h3 className={content.heading}>Of other spans of the trace</h3>}
      {shownOfOthers.map(one => (
        <AnnotationView key={one.trace_id} annotation={one} of={nameOf(one.about[0]?.span_id ?? '')} />
      ))}
      {all.length > shownMax && (
        <Button onClick={() => setShownMax(shownMax + SHOWN)}>
          Show {Math.min(SHOWN, all.length - shownMax)} more of {formatCount(all.length)}
        </Button>
      )}
    </>
  )
}

function AnnotationView({ annotation, of }: { annotation: Annotation; of?: string | undefined }): ReactNode {
  const { trace_id, by, origin, time, outputs } = annotation
  return (
    <article className={content.annotation} aria-label={`Annotation ${visible(by)}`}>
      <header>
        <strong>{visible(by)}</strong>
        <span>{origin === 'human' ? 'by a person' : 'by an evaluator'}</span>
        {of !== undefined && <span>of {visible(of)}</span>}
        <Link to="/traces/$traceId" params={{ traceId: trace_id }} title={formatFullTime(time)}>
          {formatTime(time)}
        </Link>
      </header>
      <dl>
        {Object.entries(outputs).map(([name, value]) => (
          <div key={name}>
            <dt>{visible(name)}</dt>
            <dd>{typeof value === 'string' ? visible(value) : <JsonView value={value} depth={1} />}</dd>
          </div>
        ))}
      </dl>
    </article>
  )
}
