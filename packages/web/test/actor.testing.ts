import type { Locator, Page } from 'playwright-core'
import { tabTo } from './browser.testing.ts'

/** Somebody at the page: one script is played by mouse and again by keyboard only. */
export interface Actor {
  goTo(screen: string): Promise<void>
  press(control: Locator): Promise<void>
  /** Types at the end of what a field contains. */
  type(field: Locator, text: string): Promise<void>
  check(box: Locator): Promise<void>
  /** Chooses the option so many places below the chosen one. */
  chooseBelow(list: Locator, places: number): Promise<void>
}

export const byMouse = (page: Page): Actor => ({
  goTo: async screen => {
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: screen }).click()
    await shown(page, screen)
  },
  press: control => control.click(),
  type: async (field, text) => {
    await field.click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type(text)
  },
  check: box => box.click(),
  chooseBelow: async (list, places) => {
    const index = await list.evaluate(element => (element as HTMLSelectElement).selectedIndex)
    await list.selectOption({ index: index + places })
  },
})

export const byKeyboard = (page: Page): Actor => ({
  goTo: async screen => {
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Command, name or trace id' }).waitFor()
    await page.keyboard.type(`Go to ${screen.toLowerCase()}`)
    await page.keyboard.press('Enter')
    await shown(page, screen)
  },
  press: async control => {
    await tabTo(page, control)
    await page.keyboard.press('Enter')
  },
  type: async (field, text) => {
    await tabTo(page, field)
    await page.keyboard.press('Control+End')
    await page.keyboard.type(text)
  },
  check: async box => {
    await tabTo(page, box)
    await page.keyboard.press('Space')
  },
  chooseBelow: async (list, places) => {
    await tabTo(page, list)
    for (let place = 0; place < places; place++) await page.keyboard.press('ArrowDown')
  },
})

const shown = (page: Page, screen: string): Promise<void> =>
  page.getByRole('navigation', { name: 'Screens' }).locator('[aria-current="page"]', { hasText: screen }).waitFor()
