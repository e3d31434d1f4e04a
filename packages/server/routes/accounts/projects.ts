import {
  createProject,
  createProjectBody,
  deleteProject,
  editProject,
  editProjectBody,
  fetchProject,
  listProjects,
  projectJson,
} from '@spanhouse/access'
import { uuid, z } from '@spanhouse/validation'
import type { FastifyInstance } from 'fastify'
import { addEndpoint } from '../../http/endpoint.ts'
import type { Parts } from '../../parts.ts'

const tag = 'projects'
const params = z.object({ project_id: uuid })
/** What admins and owners have and nobody else. */
const permission = 'edit_workspace'

/** The projects that the caller is a member of. A key stands for one of them, and reads and changes the others' names. */
export function projectRoutes({ postgres: { db }, authenticator, seeds }: Parts): (app: FastifyInstance) => void {
  return app => {
    addEndpoint(app, {
      method: 'GET',
      path: '/projects',
      tag,
      answer: z.array(projectJson),
      summary: 'Lists the projects that you are a member of.',
      handle: ({ principal }) => listProjects(db, principal),
    })
    addEndpoint(app, {
      method: 'GET',
      path: '/projects/current',
      tag,
      answer: projectJson,
      summary: 'Reads the project that the credential stands for.',
      handle: ({ principal }) => fetchProject(db, principal.user_id, principal.project_id),
    })
    addEndpoint(app, {
      method: 'GET',
      path: '/projects/:project_id',
      tag,
      params,
      answer: projectJson,
      summary: 'Reads one project.',
      handle: ({ principal, params }) => fetchProject(db, principal.user_id, params.project_id),
    })
    addEndpoint(app, {
      method: 'POST',
      path: '/projects',
      tag,
      permission,
      body: createProjectBody,
      answer: projectJson,
      status: 201,
      summary: 'Makes a project in your workspace; its members become members of the project.',
      handle: ({ principal, body }) => createProject(db, principal, { body, seeds: seeds.project }),
    })
    addEndpoint(app, {
      method: 'PATCH',
      path: '/projects/:project_id',
      tag,
      permission,
      params,
      body: editProjectBody,
      answer: projectJson,
      summary: 'Renames a project, or makes it the default of its workspace.',
      handle: ({ principal, params, body }) => editProject(db, principal, { ...params, body }),
    })
    addEndpoint(app, {
      method: 'DELETE',
      path: '/projects/:project_id',
      tag,
      permission,
      params,
      answer: z.object({ detail: z.string() }),
      summary: 'Deletes a project with everything in it.',
      handle: ({ principal, params }) => deleteProject(db, authenticator, { principal, ...params }),
    })
  }
}
