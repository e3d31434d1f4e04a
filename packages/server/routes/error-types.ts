import { ERROR_TYPES } from '@spanhouse/runtime'
import type { FastifyInstance } from 'fastify'

/**
 * `GET /docs/errors`: where `status.type` of a failed run leads, unless there is another documentation. Its fragment is
 * the id of the type's explanation. In every process, like the rest of the documentation.
 */
export function errorTypeRoutes(app: FastifyInstance): void {
  app.get('/docs/errors', { schema: { hide: true } }, (_request, reply) =>
    reply.type('text/html; charset=utf-8').send(PAGE),
  )
}

const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')

const explanations = Object.entries(ERROR_TYPES).map(
  ([type, { status, meaning, remedy }]) => `
<section id="${escaped(type)}">
<h2><a href="#${escaped(type)}">${escaped(type)}</a></h2>
<p>${escaped(meaning)}</p>
<dl>
<dt>Status</dt><dd>${escaped(status)}</dd>
<dt>What to do</dt><dd>${escaped(remedy)}</dd>
</dl>
</section>`,
)

const STYLE = `
:root { color-scheme: light dark }
body { max-width: 720px; margin: 0 auto; padding: 32px 16px 50vh; font: 15px/22px system-ui, sans-serif; overflow-wrap: anywhere }
h1 { font-size: 24px; line-height: 30px }
h2 { margin: 0; font: 600 15px/22px ui-monospace, monospace }
h2 a { color: inherit; text-decoration: none }
h2 a:hover { text-decoration: underline }
section { margin: 16px -12px; padding: 12px; border-top: 1px solid light-dark(#d4d7dc, #3a3f47) }
section:target { background: light-dark(#eaf1fe, #1d2b45) }
p { margin: 8px 0 }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 4px 12px; margin: 0 }
dt { color: light-dark(#555b66, #a4abb6) }
dd { margin: 0 }
@media (max-width: 480px) { dl { grid-template-columns: 1fr } dd { margin-bottom: 4px } }`

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Errors of runs - Spanhouse</title>
<style>${STYLE}
</style>
</head>
<body>
<main>
<h1>Errors of runs</h1>
<p>A run that fails has an address of this page as <code>status.type</code>; the part after <code>#</code> is the type of its
error. The message in <code>status.message</code> says what it was this time.</p>${explanations.join('')}
</main>
</body>
</html>
`
