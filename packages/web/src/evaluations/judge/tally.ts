import type { Preference } from '../../api/preferences.ts'

/** What was said of one pair of outputs. */
export interface Judged {
  /** A case has a pair for each repeat. */
  case_id: string
  preference: Preference
}

const LEADS: Readonly<Record<Preference, number>> = { baseline: -1, neither: 0, run: 1 }

/**
 * How many cases prefer each, by the majority of the repeats that were judged. A case counts once: its repeats are alike,
 * and each on its own would make any preference look certain.
 */
export function tally(judged: readonly Judged[]): Record<Preference, number> {
  const leads = new Map<string, number>()
  for (const { case_id, preference } of judged) leads.set(case_id, (leads.get(case_id) ?? 0) + LEADS[preference])
  const counts = { baseline: 0, run: 0, neither: 0 }
  for (const lead of leads.values()) counts[preferred(lead)]++
  return counts
}

const preferred = (lead: number): Preference => (lead === 0 ? 'neither' : lead > 0 ? 'run' : 'baseline')
