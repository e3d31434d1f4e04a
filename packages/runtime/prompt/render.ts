import type { JsonObject } from '@spanhouse/model'
import { renderCurly } from './curly.ts'
import { renderFstring } from './fstring/fstring.ts'
import { renderJinja } from './jinja.ts'
import { renderMustache } from './mustache.ts'
import { TemplateFault, type TemplateFormat } from './template.ts'

/** A rendered template, or why it cannot be rendered and which variables are missing. */
export type Rendered = { text: string } | { fault: string; missing: readonly string[] }

const RENDERERS: Record<TemplateFormat, (template: string, context: JsonObject) => string> = {
  mustache: renderMustache,
  curly: renderCurly,
  fstring: renderFstring,
  jinja2: renderJinja,
}

/**
 * Renders each template with the same values, by the rules of section 4.4 of the runtime's contract. A template that
 * fails does not affect the others.
 */
export function renderTemplates(format: TemplateFormat, templates: readonly string[], context: JsonObject): Rendered[] {
  return templates.map(template => {
    try {
      return { text: RENDERERS[format](template, context) }
    } catch (error) {
      if (error instanceof TemplateFault) return { fault: error.message, missing: error.missing }
      throw error
    }
  })
}
