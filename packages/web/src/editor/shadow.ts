/**
 * The root of an editor's elements. CodeMirror writes its style sheet into a `style` element, which the content
 * security policy rejects; only in a shadow tree it adopts one that is made by script.
 */
export function shadowOf(host: HTMLElement): ShadowRoot {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  root.replaceChildren()
  return root
}
