/** A pattern that cannot be used. The message is for its author. */
export class PatternError extends Error {
  constructor(reason: string, at?: number) {
    super(at === undefined ? reason : `${reason} at position ${at}`)
    this.name = 'PatternError'
  }
}
