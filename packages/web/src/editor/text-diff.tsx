import { unifiedMergeView } from '@codemirror/merge'
import { EditorState } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { type ReactNode, useEffect, useRef } from 'react'
import styles from './editor.module.css'
import { shadowOf } from './shadow.ts'
import { theme } from './theme.ts'

interface TextDiffProps {
  label: string
  before: string
  after: string
}

/** What would change, in one text: removed lines above those that replace them, and long unchanged parts collapsed. */
export default function TextDiff({ label, before, after }: TextDiffProps): ReactNode {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const root = shadowOf(place.current as HTMLDivElement)
    const view = new EditorView({
      parent: root,
      root,
      state: EditorState.create({
        doc: after,
        extensions: [
          EditorState.readOnly.of(true),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': label }),
          unifiedMergeView({
            original: before,
            mergeControls: false,
            gutter: false,
            collapseUnchanged: { margin: 2, minSize: 6 },
          }),
          theme,
        ],
      }),
    })
    return () => view.destroy()
  }, [label, before, after])
  return <div ref={place} className={styles.diff} />
}
