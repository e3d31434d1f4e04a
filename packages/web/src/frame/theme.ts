const STORED = 'spanhouse.theme'

const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

export const storedTheme = (): Theme => THEMES.find(theme => theme === localStorage.getItem(STORED)) ?? 'system'

/** Shows the page in the stored theme: by default in that of the system. */
export function applyTheme(): void {
  const theme = storedTheme()
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}

/** The next of the three. */
export function changeTheme(): Theme {
  const theme = THEMES[(THEMES.indexOf(storedTheme()) + 1) % THEMES.length] as Theme
  localStorage.setItem(STORED, theme)
  applyTheme()
  return theme
}
