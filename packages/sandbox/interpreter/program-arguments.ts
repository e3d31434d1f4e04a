/** Which interpreter a process has. */
const INTERPRETERS = ['quickjs', 'pyodide'] as const
export type InterpreterName = (typeof INTERPRETERS)[number]

// File descriptors of the process's pipes. Standard output and error are not among them: anything printed there is
// lost.
export const WORK_FD = 0
export const ANSWERS_FD = 3
/** Nothing is ever written to it; it closes when the parent exits. */
export const PARENT_FD = 4

/** The signal with which a process kills itself when a run has used its processor time. Nothing else sends it. */
export const CPU_LIMIT_SIGNAL = 'SIGVTALRM'

/** The first byte of an answer: whether the process can be reused. */
export const REUSABLE = 1
export const SPENT = 0
