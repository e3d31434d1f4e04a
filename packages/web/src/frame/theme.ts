import { storedText, storeText } from '../api/browser-storage.ts'

const STORED = 'spanhouse.theme'

const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

export const storedTheme = (): Theme => THEMES.find(theme => theme === storedText(STORED)) ?? 'system'

const listeners = new Set<() => void>()

export function onThemeChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Shows the page in the stored theme: by default in that of the system. */
export function applyTheme(): void {
  const theme = storedTheme()
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
  for (const listener of listeners) listener()
}

// It may be changed in another tab.
addEventListener('storage', ({ key }) => key === STORED && applyTheme())

/** The next of the three. */
export function changeTheme(): void {
  storeText(STORED, THEMES[(THEMES.indexOf(storedTheme()) + 1) % THEMES.length] as Theme)
  applyTheme()
}
