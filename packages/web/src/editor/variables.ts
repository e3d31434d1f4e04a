import {
  Decoration,
  type DecorationSet,
  type EditorView,
  MatchDecorator,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view'

const CHIP = new MatchDecorator({
  regexp: /\{\{[^{}\n]{1,200}\}\}/g,
  decoration: Decoration.mark({ class: 'cm-variable' }),
})

/** Shows placeholders as chips. Only what is visible is searched, so the length of the text does not matter. */
export const variableChips = ViewPlugin.fromClass(
  class {
    chips: DecorationSet
    constructor(view: EditorView) {
      this.chips = CHIP.createDeco(view)
    }
    update(update: ViewUpdate): void {
      this.chips = CHIP.updateDeco(update, this.chips)
    }
  },
  { decorations: plugin => plugin.chips },
)
