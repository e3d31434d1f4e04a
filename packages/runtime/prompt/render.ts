import type { JsonObject } from '@spanhouse/model'
import { renderCurly } from './curly.ts'
import { renderFstring } from './fstring/fstring.ts'
import { renderJinja } from './jinja.ts'
import { renderMustache } from './mustache.ts'
import { RENDERED_LENGTH_MAX, TemplateFault, type TemplateFormat } from './template.ts'

/** A rendered template, or why it cannot be rendered. */
export type Rendered = { text: string } | { fault: string }

const RENDERERS: Record<TemplateFormat, (template: string, context: JsonObject) => string> = {
  mustache: renderMustache,
  curly: renderCurly,
  fstring: renderFstring,
  jinja2: renderJinja,
}

/**
 * Renders each template with the same values, by the rules of section 4.4 of the runtime's contract. A template that
 * fails does not affect the others, unless their texts are too long together.
 */
export function renderTemplates(format: TemplateFormat, templates: readonly string[], context: JsonObject): Rendered[] {
  let left = RENDERED_LENGTH_MAX
  return templates.map(template => {
    if (left < 0) return TOO_LONG_TOGETHER
    try {
      const text = RENDERERS[format](template, context)
      left -= text.length
      return left < 0 ? TOO_LONG_TOGETHER : { text }
    } catch (error) {
      if (error instanceof TemplateFault) return { fault: error.message }
      throw error
    }
  })
}

const TOO_LONG_TOGETHER: Rendered = {
  fault: `The rendered texts are longer than ${RENDERED_LENGTH_MAX} characters together`,
}
