import type { Values } from './fields.ts'

/*
 * What was entered and not saved yet, by evaluator, kept in the browser so that it survives a reload.
 */

const PREFIX = 'spanhouse.draft.'

/** By the key of the evaluator's step. */
export type Draft = Readonly<Record<string, Values>>

export function readDraft(id: string): Draft {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + id) ?? '{}') as Draft
  } catch {
    return {}
  }
}

/** Storage that is full loses the draft, but never what is being entered. */
export function writeDraft(id: string, draft: Draft): void {
  try {
    localStorage.setItem(PREFIX + id, JSON.stringify(draft))
  } catch {}
}

export const removeDraft = (id: string): void => localStorage.removeItem(PREFIX + id)
