import { EditorView } from '@codemirror/view'

/** The page's colours, in both themes. */
export const theme = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'transparent', fontSize: '12px' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': {
    fontFamily: 'var(--mono)',
    lineHeight: '18px',
    overflow: 'auto',
    maxHeight: 'var(--editor-height, 320px)',
  },
  '.cm-content': { padding: '6px 0', caretColor: 'var(--text)' },
  '.cm-line': { padding: '0 8px' },
  '.cm-variable': {
    padding: '0 3px',
    borderRadius: '3px',
    color: 'var(--accent)',
    backgroundColor: 'var(--bg-selected)',
    boxShadow: 'inset 0 0 0 1px var(--accent)',
  },
  '&.cm-merge-b.cm-editor .cm-changedLine': { backgroundColor: 'var(--diff-added-line)' },
  '&.cm-merge-b.cm-editor .cm-changedText': { background: 'var(--diff-added)' },
  '&.cm-editor .cm-deletedChunk': { backgroundColor: 'var(--diff-removed-line)', padding: '0 8px' },
  '&.cm-editor .cm-deletedChunk .cm-deletedText': { background: 'var(--diff-removed)' },
  '.cm-collapsedLines': {
    color: 'var(--text-soft)',
    background: 'var(--bg-raised)',
  },
})
