import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Authenticator } from './authenticator';
import { SessionController } from './session.controller';
import { SessionsService } from './sessions.service';
import { Token } from './token.entity';
import { TokensController } from './tokens.controller';
import { TokensService } from './tokens.service';

@Module({
  imports: [TypeOrmModule.forFeature([Token])],
  controllers: [TokensController, SessionController],
  providers: [Authenticator, SessionsService, TokensService],
  exports: [Authenticator, TokensService],
})
export class AuthModule {}
