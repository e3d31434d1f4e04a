/** Which interpreter a process has. */
export const INTERPRETERS = ['quickjs', 'pyodide'] as const
export type InterpreterName = (typeof INTERPRETERS)[number]

// Pipes of the process. Standard output and error are not among them: whatever prints there is lost.
export const WORK_FD = 0
export const ANSWERS_FD = 3
/** Nothing is ever written to it; it ends with the parent. */
export const PARENT_FD = 4

/** The signal by which a process ends itself when a run has used its processor time. Nobody else sends it. */
export const CPU_LIMIT_SIGNAL = 'SIGVTALRM'

/** The first byte of an answer: whether the process can be used again. */
export const REUSABLE = 1
export const SPENT = 0
