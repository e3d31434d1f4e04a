/** A pattern that cannot be used. The message is for whoever wrote it. */
export class PatternError extends Error {
  constructor(reason: string, at?: number) {
    super(at === undefined ? reason : `${reason} at position ${at}`)
    this.name = 'PatternError'
  }
}
