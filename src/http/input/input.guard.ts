import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FieldError } from '../problem';
import { fieldError, Problem } from '../problem';
import { formatOf, requireAcceptable, vary } from '../responses/formats';
import { fieldsOfBody } from '../validation/validation.pipe';
import { MALFORMED_QUERY } from './form';

/**
 * Rejects input that a route does not declare, so that nothing that a client sends is ignored: body
 * fields, query parameters, and media types in `Accept` that the route does not produce.
 */
@Injectable()
export class InputGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const { formats, produces, readsBody, readsQuery } = request.routeOptions.config;
    if (request.query === MALFORMED_QUERY) {
      throw new Problem('bad_request', 'The query is not well-formed.');
    }
    const errors: FieldError[] = [];
    if (!readsBody) {
      for (const name of Object.keys(fieldsOfBody(request.body))) {
        errors.push(fieldError('pointer', name, 'unknown_field', 'is not a field'));
      }
    }
    if (!readsQuery) {
      for (const name of Object.keys(request.query as object)) {
        errors.push(fieldError('parameter', name, 'unknown_field', 'is not a parameter'));
      }
    }
    if (errors.length > 0) throw Problem.invalid(errors);
    if (formats) {
      vary(http.getResponse<FastifyReply>(), 'Accept');
      formatOf(request, formats);
    } else requireAcceptable(request, produces ?? ['application/json']);
    return true;
  }
}
