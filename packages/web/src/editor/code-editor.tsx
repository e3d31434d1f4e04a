import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { EditorState } from '@codemirror/state'
import { EditorView, keymap } from '@codemirror/view'
import { type ReactNode, useEffect, useEffectEvent, useRef } from 'react'
import { flushSync } from 'react-dom'
import styles from './editor.module.css'
import { shadowOf } from './shadow.ts'
import { theme } from './theme.ts'
import { variableChips } from './variables.ts'

interface CodeEditorProps {
  label: string
  value: string
  onChange: (text: string) => void
  isReadOnly?: boolean
  /** Whether placeholders such as `{{country}}` are shown as chips. */
  hasVariables?: boolean
  /** `⌘Enter`. */
  onRun?: (() => void) | undefined
}

/**
 * Typing is not interrupted by what depends on the text: that follows during a pause, and at the latest when the editor
 * leaves.
 */
const PAUSE_MS = 120

/** A text editor. `Tab` leaves it, as in other fields. */
export default function CodeEditor(props: CodeEditorProps): ReactNode {
  const { label, value, isReadOnly = false, hasVariables = false } = props
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const told = useRef(value)
  const tell = useEffectEvent(() => {
    const text = view.current?.state.doc.toString() ?? told.current
    if (text === told.current) return
    told.current = text
    props.onChange(text)
  })
  const run = useEffectEvent(() => props.onRun?.())
  const isRunnable = props.onRun !== undefined
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const later = EditorView.updateListener.of(({ docChanged }) => {
      if (!docChanged) return
      clearTimeout(timer)
      timer = setTimeout(tell, PAUSE_MS)
    })
    const tellAndRun = (): boolean => {
      // What runs is the page as it is with the text.
      flushSync(tell)
      run()
      return true
    }
    const root = shadowOf(place.current as HTMLDivElement)
    const editor = new EditorView({
      parent: root,
      root,
      state: EditorState.create({
        doc: told.current,
        extensions: [
          isRunnable ? keymap.of([{ key: 'Mod-Enter', run: tellAndRun }]) : [],
          history(),
          keymap.of([...defaultKeymap, ...historyKeymap]),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorState.readOnly.of(isReadOnly),
          theme,
          hasVariables ? variableChips : [],
          later,
          EditorView.domEventHandlers({ blur: () => tell() }),
        ],
      }),
    })
    view.current = editor
    return () => {
      clearTimeout(timer)
      tell()
      editor.destroy()
      view.current = null
    }
  }, [label, isReadOnly, hasVariables, isRunnable])
  useEffect(() => {
    // A text from elsewhere: a draft that is discarded, another revision.
    if (view.current === null || value === told.current) return
    told.current = value
    view.current.dispatch({ changes: { from: 0, to: view.current.state.doc.length, insert: value } })
  }, [value])
  return <div ref={place} className={styles.editor} />
}
