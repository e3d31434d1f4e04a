/*
 * Screens, dialogs and editors are files of their own, which are loaded when they are first shown. One that cannot be
 * loaded is gone after an upgrade of the server, which has newer ones, or the server is away.
 */

/** What the browser said of the file, which names it, by the error. */
const said = new WeakMap<Error, string>()

// The router knows such errors by the browsers' words and reloads the page at once, even if the server is away and the
// browser's own error page would be all that is left. It does not know these words.
addEventListener('vite:preloadError', ({ payload: error }) => {
  said.set(error, error.message)
  error.message = 'A file of the page cannot be loaded. Reload the page.'
})

/** Whether an error is that of a file of the page which could not be loaded. */
export const isMissingFile = (error: Error): boolean => said.has(error)

/**
 * Whether the page may be reloaded by itself for the sake of a file: once in each tab, so that it never does so
 * forever.
 */
export function mayReload(error: Error): boolean {
  const stored = `spanhouse.reloaded ${said.get(error)}`
  try {
    if (sessionStorage.getItem(stored) !== null) return false
    sessionStorage.setItem(stored, 'true')
    return true
  } catch {
    // A browser that keeps nothing cannot tell that it was.
    return false
  }
}

/** Whether the server responds with the page, as it would if it were reloaded. */
export const isServerThere = (): Promise<boolean> =>
  fetch(location.href, { method: 'HEAD', cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  )
