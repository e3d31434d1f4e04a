import { removeText, storedText, storeText } from '../../api/browser-storage.ts'
import type { Values } from './fields.ts'

/*
 * What was entered and not saved yet, by evaluator, kept in the browser so that it survives a reload.
 */

const PREFIX = 'spanhouse.draft.'

/** By the key of the evaluator's step. */
export type Draft = Readonly<Record<string, Values>>

export function readDraft(id: string): Draft {
  try {
    return JSON.parse(storedText(PREFIX + id) ?? '{}') as Draft
  } catch {
    return {}
  }
}

export const writeDraft = (id: string, draft: Draft): void => storeText(PREFIX + id, JSON.stringify(draft))

export const removeDraft = (id: string): void => removeText(PREFIX + id)
