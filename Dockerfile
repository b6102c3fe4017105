# The labs in a container, for macOS, Windows and any other system: docs/setup.md, "In a container". The image holds the
# compilers and the light toolkit; the repository stays outside, so that you edit it with your own editor:
#
#   docker build -t cuda-labs .
#   docker run -it --rm -v "$PWD":/labs cuda-labs
#   make lab03 SOLUTION=1 && ./grader
#
# The user in the container has the number 1000; elsewhere: docker build --build-arg UID=$(id -u) -t cuda-labs .
FROM debian:12-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends make gcc g++ python3-pip libcmocka-dev \
    && rm -rf /var/lib/apt/lists/*
ARG UID=1000
RUN useradd --create-home --uid $UID student
COPY mk/setup /tmp/setup
USER student
RUN sh /tmp/setup/light install /home/student/toolkit && rm -rf /home/student/.cache
ENV CUDA_LABS_TOOLKIT=/home/student/toolkit
WORKDIR /labs
CMD ["bash"]
